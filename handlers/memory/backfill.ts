import { endpoint } from '../../runtime/http/endpoint.ts'
import { BackfillRequest, JobAnswer } from '../../runtime/memory/jobs/schema.ts'
import { startJob } from '../../runtime/memory/jobs/start.ts'

export const backfill = endpoint({
  method: 'POST',
  path: '/api/memory/backfill-entities',
  summary: 'Find what older episodes mention, without a model; a job of the kind consolidate',
  body: BackfillRequest,
  body_optional: true,
  returns: JobAnswer,
  status: 202,
  async run({ body }, context) {
    const job = await startJob(context, { task: 'backfill', ...body })
    return { job }
  },
})
