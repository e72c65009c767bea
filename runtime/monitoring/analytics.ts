import { z } from 'zod'
import { countChats } from '../chat/index.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { countCalls, type Stretch, sumOf, sumsByColumn, tokensByQuarter } from '../ledger/ledger-store.ts'
import { iso, second } from '../time.ts'
import { zoneReader } from '../zones/wall-clock.ts'
import { periodSpan, tokensIn, UsagePeriod } from './usage.ts'

const count = z.int()

const Totals = z.object({
  tokens: count,
  cost_usd: z.number(),
  conversations: count,
  messages: count,
  calls: count,
  failed_calls: count,
})
type Totals = z.output<typeof Totals>

const Spender = z.object({
  id: z.string(),
  name: z.string().nullable().meta({ description: 'Null if it was deleted' }),
  tokens: count,
  cost_usd: z.number(),
  calls: count,
})
type Spender = z.output<typeof Spender>

export const Analytics = z.object({
  period: UsagePeriod,
  tz: z.string(),
  from: z.string(),
  to: z.string(),
  totals: Totals,
  previous: Totals.meta({ description: 'The preceding period of the same length' }),
  by_job: z.array(Spender),
  by_project: z.array(Spender),
  by_loop: z.array(Spender),
  by_hour: z.array(count).length(24).meta({ description: 'Tokens by local hour of the day' }),
  by_weekday: z.array(count).length(7).meta({ description: 'Tokens by local day of the week, from Monday' }),
})
export type Analytics = z.output<typeof Analytics>

/** Spending in a period, by job, project and loop and by time of day, and in the preceding period. */
export async function readAnalytics(context: Context, period: UsagePeriod, tz: string): Promise<Analytics> {
  const stretch = periodSpan(context.clock.now(), period, tz)
  const { from, to } = stretch
  return {
    period,
    tz,
    from: iso(from),
    to: iso(to - 1),
    totals: await readTotals(context, stretch),
    previous: await readTotals(context, { from: 2 * from - to, to: from }),
    by_job: await readSpenders(context, 'job_id', stretch),
    by_project: await readSpenders(context, 'project_id', stretch),
    by_loop: await readSpenders(context, 'loop_id', stretch),
    ...(await readPattern(context, stretch, tz)),
  }
}

async function readTotals(context: Context, stretch: Stretch): Promise<Totals> {
  const sums = await sumOf(context, stretch)
  return {
    tokens: tokensIn(sums),
    cost_usd: sums.cost_usd,
    ...(await countChats(context, iso(stretch.from), iso(stretch.to))),
    ...(await countCalls(context, stretch)),
  }
}

type Column = Parameters<typeof sumsByColumn>[1]

const nameReaders: Record<Column, (host: Host, ids: string[]) => Promise<Map<string, string>>> = {
  job_id: async (host, ids) => (await import('../scheduler/index.ts')).jobNames(host, ids),
  loop_id: async (host, ids) => (await import('../loops/index.ts')).loopNames(host, ids),
  project_id: async (host, ids) => (await import('../projects/index.ts')).projectNames(host, ids),
}

async function readSpenders(context: Context, column: Column, stretch: Stretch): Promise<Spender[]> {
  const rows = await sumsByColumn(context, column, stretch)
  const ids = rows.map(({ id }) => id)
  const names = ids.length === 0 ? new Map<string, string>() : await nameReaders[column](context, ids)
  return rows.map((row) => ({
    id: row.id,
    name: names.get(row.id) ?? null,
    tokens: tokensIn(row),
    cost_usd: row.cost_usd,
    calls: row.calls,
  }))
}

async function readPattern(context: Context, stretch: Stretch, tz: string) {
  const read = zoneReader(tz)
  const by_hour = Array.from({ length: 24 }, () => 0)
  const by_weekday = Array.from({ length: 7 }, () => 0)
  for (const { at, tokens } of await tokensByQuarter(context, stretch)) {
    const { year, month, day, hour } = read(at * second)
    const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7
    by_hour[hour] = (by_hour[hour] ?? 0) + tokens
    by_weekday[weekday] = (by_weekday[weekday] ?? 0) + tokens
  }
  return { by_hour, by_weekday }
}
