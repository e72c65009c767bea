import { z } from 'zod'
import { callerTimeZone } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { sumOf } from '../ledger/ledger-store.ts'
import { RunSummary, runsOf } from '../run-summary.ts'
import { day, iso } from '../time.ts'
import { dayLabel, startOfDay, zoneReader } from '../zones/wall-clock.ts'
import { tokensIn } from './usage.ts'

export const Now = z.object({
  running: z.array(RunSummary),
  /** One entry per thing that failed in the last three days: its latest failure and their number. */
  failed: z.array(RunSummary.extend({ count: z.int() })),
  /** Since midnight of the profile's zone. */
  today: z.object({ tokens: z.int(), cost_usd: z.number() }),
})
export type Now = z.output<typeof Now>

const recent = 3 * day
const maxRuns = 50

/** What runs, what failed lately, and what today has cost. */
export async function readNow(context: Context): Promise<Now> {
  const now = context.clock.now()
  const since = iso(now - recent)
  const [open, failures] = await Promise.all(
    (['open', 'failed'] as const).map((state) => runsOf(context, { state, since, limit: maxRuns })),
  )
  const read = zoneReader(await callerTimeZone(context))
  const sums = await sumOf(context, { from: startOfDay(dayLabel(read(now)), read), to: now + 1 })
  const failed = Map.groupBy(failures ?? [], ({ kind, id }) => `${kind} ${id}`)
  return {
    running: open ?? [],
    failed: [...failed.values()].flatMap((all) => all.slice(0, 1).map((latest) => ({ ...latest, count: all.length }))),
    today: { tokens: tokensIn(sums), cost_usd: sums.cost_usd },
  }
}
