import { endpoint } from '../../runtime/http/endpoint.ts'
import { GenerateRequest, JobAnswer } from '../../runtime/memory/jobs/schema.ts'
import { startJob } from '../../runtime/memory/jobs/start.ts'

export const generate = endpoint({
  method: 'POST',
  path: '/api/memory/generate-episodes',
  summary: 'Make episodes of the conversations so far, and embed every episode that is not yet',
  query: GenerateRequest,
  body: GenerateRequest,
  body_optional: true,
  returns: JobAnswer,
  status: 202,
  async run({ query, body }, context) {
    const job = await startJob(context, { task: 'generate', ...query, ...body })
    return { job }
  },
})
