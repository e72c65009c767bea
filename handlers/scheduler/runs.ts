import { z } from 'zod'
import { verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'
import { redeliver as deliverAgain } from '../../runtime/scheduler/delivery.ts'
import { requireJob } from '../../runtime/scheduler/jobs.ts'
import { listRuns } from '../../runtime/scheduler/run-store.ts'
import { backfillJob, cancelRun, requireRun } from '../../runtime/scheduler/runs.ts'
import { RunStatus, ShownRun } from '../../runtime/scheduler/schema.ts'

const jobs = { path: '/api/scheduler/jobs' } as const
const query = pageQuery().extend({ status: RunStatus.optional() })
const Runs = z.object({ runs: z.array(ShownRun), count: z.int(), total: z.int() })

export const listAll = endpoint('GET /api/scheduler/runs', {
  summary: 'List the runs of all jobs, newest first',
  query,
  returns: Runs,
  async run({ query }, context) {
    const { runs, total } = await listRuns(context, query)
    return { runs, count: runs.length, total }
  },
})

export const list = endpoint('GET /api/scheduler/jobs/{id}/runs', {
  summary: 'List the runs of a job, newest first',
  query,
  returns: Runs,
  async run({ params, query }, context) {
    await requireJob(context, params.id)
    const { runs, total } = await listRuns(context, { ...query, job_id: params.id })
    return { runs, count: runs.length, total }
  },
})

export const show = endpoint('GET /api/scheduler/jobs/{id}/runs/{run_id}', {
  summary: 'Get a run',
  returns: ShownRun,
  run: ({ params }, context) => requireRun(context, params.id, params.run_id),
})

export const cancel = endpoint('POST /api/scheduler/jobs/{id}/runs/{run_id}/cancel', {
  summary: 'Cancel a queued or running run',
  returns: ShownRun,
  run: ({ params }, context) => cancelRun(context, params.id, params.run_id),
  recover: ({ params }, context) => requireRun(context, params.id, params.run_id),
})

const moment = z.iso.datetime({ offset: true })

export const backfill = verbOf(jobs, 'backfill', {
  summary: 'Run a job for the due times of a past period',
  body: z.object({
    start: moment,
    end: moment,
    preview: z.boolean().default(false).meta({ description: 'Only count the runs' }),
  }),
  returns: z.object({
    run_ids: z.array(z.string()),
    count: z.int(),
    due_times: z.int().meta({ description: 'Including those that have succeeded or are in progress' }),
  }),
  run: backfillJob,
})

export const dryRun = verbOf(jobs, 'dry-run', {
  summary: 'Preview a job: its next due times, its tools, its estimated cost',
  returns: z.object({
    next_runs: z.array(z.string()),
    model: z.string(),
    tools: z.array(z.string()),
    changes_need_approval: z.boolean(),
    estimated_tokens: z.int(),
    estimated_cost_usd: z.number(),
    estimate_basis: z.enum(['runs', 'goal']),
  }),
  async run(context, id) {
    const { dryRun: dryRunOf } = await import('../../runtime/scheduler/dry-run.ts')
    return dryRunOf(context, id)
  },
})

export const redeliver = endpoint('POST /api/scheduler/jobs/{id}/runs/{run_id}/redeliver', {
  summary: 'Redeliver the result of a run; the run is not repeated',
  returns: ShownRun,
  run: ({ params }, context) => deliverAgain(context, params.id, params.run_id),
})
