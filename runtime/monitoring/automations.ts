import { z } from 'zod'
import { Automation, automationsOf } from '../automation.ts'
import type { Context } from '../context.ts'
import { sumsByColumn } from '../ledger/ledger-store.ts'
import { RunSummary, type RunsFilter, runsOf } from '../run-summary.ts'
import { day, iso } from '../time.ts'

export const PricedAutomation = Automation.extend({
  cost_usd: z.number().nullable().meta({ description: 'Of the last 30 days; null if it is not known by automation' }),
})
export type PricedAutomation = z.output<typeof PricedAutomation>

export async function listAutomations(context: Context): Promise<PricedAutomation[]> {
  const to = context.clock.now() + 1
  const [jobs = [], loops = []] = await Promise.all(
    (['job_id', 'loop_id'] as const).map((column) => sumsByColumn(context, column, { from: to - 30 * day, to })),
  )
  const costs = new Map([...jobs, ...loops].map(({ id, cost_usd }) => [id, cost_usd]))
  return (await automationsOf(context)).map((one) => ({
    ...one,
    cost_usd: costs.get(one.id) ?? (one.kind === 'job' || one.kind === 'loop' ? 0 : null),
  }))
}

export const AutomationRuns = z.object({ runs: z.array(RunSummary) })

const kept = 30 * day
const maxRuns = 200

/** The latest runs of all automations: of conversations and projects only those that are open or failed. */
export async function listAutomationRuns(context: Context, state: RunsFilter['state']): Promise<RunSummary[]> {
  const since = iso(context.clock.now() - kept)
  return (await runsOf(context, { state, since, limit: maxRuns })).slice(0, maxRuns)
}
