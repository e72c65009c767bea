import { requireAgent } from '../agents/agents.ts'
import type { Context } from '../context.ts'
import { chooseModel } from '../providers/access.ts'
import { estimateInput, estimateOutput } from '../providers/call.ts'
import { iso } from '../time.ts'
import { decide } from '../tools/policy.ts'
import { toolsFor, toSpec } from '../tools/registry.ts'
import type { StoredJob } from './job-store.ts'
import { requireJob } from './jobs.ts'
import { nextRuns } from './next-run.ts'
import { usualCost } from './run-counts.ts'

/** What a job would do, without doing it: its next times, its tools, and what one run takes. */
export async function dryRun(context: Context, id: string) {
  const job = await requireJob(context, id)
  const now = context.clock.now()
  const place = { zone: 'UTC', anchor: Date.parse(job.anchor_at), count: 10 }
  const end = job.ends_at === null ? Number.POSITIVE_INFINITY : Date.parse(job.ends_at)
  const agent = await requireAgent(context, job.agent_id ?? '')
  const tools = await toolsFor(agent, context)
  const access = await chooseModel(context, job.model, agent.model)
  const input = estimateInput({
    system: agent.system_prompt,
    messages: [{ role: 'user', content: [{ type: 'text', text: job.goal }] }],
    tools: tools.map(toSpec),
  })
  const output = estimateOutput({ system: '', messages: [], tools: [] }, 0)
  const usual = await usualCost(context, job.id)
  return {
    next_runs: nextRuns(job.schedule, now, place)
      .filter((at) => at <= end)
      .map(iso),
    model: `${access.provider}/${access.model}`,
    tools: tools.map(({ name }) => name),
    changes_need_approval: asks(job),
    estimated_tokens: usual?.tokens ?? input + output,
    estimated_cost_usd: usual?.usd ?? access.cost({ input, output }),
    estimate_basis: usual ? ('runs' as const) : ('goal' as const),
  }
}

/** Whether a call that changes something would wait for a person. */
function asks(job: StoredJob): boolean {
  const call = { mode: 'agent', effect: 'write', risk: 'medium', granted: false, tainted: false } as const
  return decide({ ...call, execution_mode: job.execution_mode }).do !== 'run'
}
