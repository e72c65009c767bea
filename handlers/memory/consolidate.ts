import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { queryBoolean } from '../../runtime/http/page.ts'
import { ConsolidateRequest, JobAnswer } from '../../runtime/memory/jobs/schema.ts'
import { startJob } from '../../runtime/memory/jobs/start.ts'

export const consolidate = endpoint({
  method: 'POST',
  path: '/api/memory/consolidate/conversations',
  summary: 'Read entities and facts out of episodes; one model call per 5 episodes',
  query: z.object({ agent_id: z.string().min(1).max(64), wipe: queryBoolean }).partial(),
  body: ConsolidateRequest,
  body_optional: true,
  returns: JobAnswer,
  status: 202,
  async run({ query, body }, context) {
    const { agent_id = query.agent_id, wipe } = body
    const job = await startJob(context, { task: 'consolidate', agent_id, wipe: wipe || query.wipe === true })
    return { job }
  },
})
