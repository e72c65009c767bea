import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { undoRebuild } from '../../runtime/memory/jobs/undo.ts'

export const undo = endpoint({
  method: 'POST',
  path: '/api/memory/undo',
  summary: 'Bring back the graph that the latest consolidation with wipe has replaced',
  returns: z.object({ restored: z.literal(true), kept: z.number().int() }),
  async run(_, context) {
    return undoRebuild(context)
  },
})
