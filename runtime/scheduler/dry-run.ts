import { requireAgent, requireDefaultAgent } from '../agents/index.ts'
import type { Context } from '../context.ts'
import { chooseModel, estimateInput, estimateOutput } from '../providers/index.ts'
import { nextRuns } from '../schedules/next-run.ts'
import { iso } from '../time.ts'
import { decide } from '../tools/policy.ts'
import { toolsFor, toSpec } from '../tools/registry.ts'
import type { StoredJob } from './job-store.ts'
import { requireJob } from './jobs.ts'
import { averageCost } from './run-store.ts'

/** A preview of a job: its next due times, its tools, and the estimated cost of a run. */
export async function dryRun(context: Context, id: string) {
  const job = await requireJob(context, id)
  const now = context.clock.now()
  const place = { zone: 'UTC', anchor: Date.parse(job.anchor_at), count: 10 }
  const end = job.ends_at === null ? Number.POSITIVE_INFINITY : Date.parse(job.ends_at)
  const agent = await (job.agent_id === null ? requireDefaultAgent(context) : requireAgent(context, job.agent_id))
  const tools = await toolsFor(agent, context, { unattended: true })
  const access = await chooseModel(context, job.model, agent.model)
  const input = estimateInput({
    system: agent.system_prompt,
    messages: [{ role: 'user', content: [{ type: 'text', text: job.goal }] }],
    tools: tools.map(toSpec),
  })
  const output = estimateOutput({ system: '', messages: [], tools: [] }, 0)
  const average = await averageCost(context, job.id)
  return {
    next_runs: nextRuns(job.schedule, now, place)
      .filter((at) => at <= end)
      .map(iso),
    model: `${access.provider}/${access.model}`,
    tools: tools.map(({ name }) => name),
    changes_need_approval: needsApproval(job),
    estimated_tokens: average?.tokens ?? input + output,
    estimated_cost_usd: average?.usd ?? access.cost({ input, output }),
    estimate_basis: average ? ('runs' as const) : ('goal' as const),
  }
}

/** Whether a tool call that changes something would wait for an approval. */
function needsApproval(job: StoredJob): boolean {
  const call = { mode: 'agent', effect: 'write', risk: 'medium', permitted: false, tainted: false } as const
  return decide({ ...call, execution_mode: job.execution_mode }).do !== 'run'
}
