import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { JobKind, JobOrNone } from '../../runtime/memory/jobs/schema.ts'
import { currentJob } from '../../runtime/memory/jobs/start.ts'

export const job = endpoint({
  method: 'GET',
  path: '/api/memory/jobs/{kind}',
  summary: 'The running job of a kind, else the latest since the daemon started, else null',
  params: z.object({ kind: JobKind }),
  returns: JobOrNone,
  async run({ params }, context) {
    return { job: await currentJob(context, params.kind) }
  },
})
