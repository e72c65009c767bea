import { endpoint } from '../../runtime/http/endpoint.ts'
import { ConsolidateRequest, JobAnswer } from '../../runtime/memory/jobs/schema.ts'
import { startJob } from '../../runtime/memory/jobs/start.ts'

export const consolidate = endpoint({
  method: 'POST',
  path: '/api/memory/consolidate/conversations',
  summary: 'Read entities and facts out of episodes; one model call per 5 episodes',
  body: ConsolidateRequest,
  body_optional: true,
  returns: JobAnswer,
  status: 202,
  async run({ body }, context) {
    const job = await startJob(context, { task: 'consolidate', ...body })
    return Response.json({ job }, { status: 202 })
  },
})
