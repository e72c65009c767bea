import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { queryBoolean } from '../../runtime/http/page.ts'
import { keptGraphs } from '../../runtime/memory/graph/generation-store.ts'
import { currentJob, startJob, undoRebuild } from '../../runtime/memory/jobs/jobs.ts'
import {
  BackfillRequest,
  ConsolidateRequest,
  GenerateRequest,
  JobAnswer,
  JobKind,
  JobOrNone,
} from '../../runtime/memory/schema.ts'

export const generate = endpoint('POST /api/memory/generate-episodes', {
  summary: 'Create episodes from past conversations and embed every episode without an embedding',
  query: GenerateRequest,
  body: GenerateRequest,
  body_optional: true,
  returns: JobAnswer,
  status: 202,
  run: async ({ query, body }, context) => ({ job: await startJob(context, { task: 'generate', ...query, ...body }) }),
})

export const consolidate = endpoint('POST /api/memory/consolidate/conversations', {
  summary: 'Extract entities and facts from episodes, with one model call per 5 episodes',
  query: GenerateRequest.extend({ wipe: queryBoolean.optional() }),
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

export const backfill = endpoint('POST /api/memory/backfill-entities', {
  summary: 'Extract entities from older episodes without a model; a job of the kind consolidate',
  body: BackfillRequest,
  body_optional: true,
  returns: JobAnswer,
  status: 202,
  run: async ({ body }, context) => ({ job: await startJob(context, { task: 'backfill', ...body }) }),
})

export const job = endpoint('GET /api/memory/jobs/{kind}', {
  summary: 'Get the running job of a kind, else the latest since the daemon started, else null',
  params: z.object({ kind: JobKind }),
  returns: JobOrNone,
  run: async ({ params }, context) => ({ job: await currentJob(context, params.kind) }),
})

export const undo = endpoint('POST /api/memory/undo', {
  access: 'admin',
  summary: 'Restore the graph that the latest consolidation with `wipe` replaced',
  returns: z.object({ restored: z.literal(true), kept: z.int() }),
  run: (_, context) => undoRebuild(context),
  recover: async (_, context) => ({ restored: true, kept: (await keptGraphs(context)).count }),
})
