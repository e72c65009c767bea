import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { addLoop } from '../../runtime/loops/loops.ts'
import { Loop, LoopTemplate } from '../../runtime/loops/schema.ts'
import { loopFrom, templates as readyMade } from '../../runtime/loops/templates.ts'

export const templates = endpoint('GET /api/loops/templates', {
  summary: 'List the templates of loops',
  owner: 'none',
  returns: z.object({ templates: z.array(LoopTemplate), count: z.int() }),
  run: async () => ({ templates: readyMade, count: readyMade.length }),
})

export const instantiate = endpoint('POST /api/loops/templates/{template_id}/instantiate', {
  summary: 'Create a loop from a template; it does not start',
  body: z.object({ values: z.record(z.string().max(50), z.string().max(10_000)).default({}) }),
  body_optional: true,
  returns: Loop,
  status: 201,
  run: ({ params, body }, context) => addLoop(context, loopFrom(params.template_id, body.values)),
})
