import { z } from 'zod'
import { callerTimeZone } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { badRequest } from '../fault.ts'
import type { Host } from '../host.ts'
import {
  type Measured,
  type ModelCalls,
  measurements,
  millisecondsOf,
  type Requests,
  type Times,
} from '../measurements.ts'
import { iso, minute } from '../time.ts'
import { type Bucket, bucketsOf, zoneReader } from '../zones/wall-clock.ts'
import {
  addMeasured,
  addModelCalls,
  addRequests,
  emptyMeasured,
  insertSample,
  noModelCalls,
  noRequests,
  type Sample,
  samplesBetween,
} from './performance-store.ts'
import { periodSpan, Zone } from './usage.ts'

export const PerformancePeriod = z.enum(['1h', '24h', '7d', '30d'])
export type PerformancePeriod = z.output<typeof PerformancePeriod>

export const Granularity = z.enum(['minute', 'hour', 'day'])
export type Granularity = z.output<typeof Granularity>

export const PerformanceQuery = z.object({ period: PerformancePeriod.default('1h') })

/** `granularity` defaults to minutes for an hour, hours for a day, else days; `tz` to the profile's zone. */
export const PerformanceHistoryQuery = z.object({
  period: PerformancePeriod.default('24h'),
  granularity: Granularity.optional(),
  tz: Zone.optional(),
})

const Percentiles = z
  .object({ p50: z.number(), p95: z.number(), p99: z.number() })
  .nullable()
  .meta({ description: 'Milliseconds, accurate to 5 %; null without measurements' })
type Percentiles = z.output<typeof Percentiles>

const requestMetrics = {
  requests: z.int(),
  requests_per_minute: z.number(),
  error_rate: z.number().meta({ description: 'Share of responses with status 500 or above, 0 to 1' }),
  latency_ms: Percentiles,
}

const ModelMetrics = z.object({
  calls: z.int(),
  ttft_ms: Percentiles.meta({ description: 'Time to the first token' }),
  latency_ms: Percentiles,
  error_rate: z.number().meta({ description: 'Share of failed calls, 0 to 1; cancelled calls are excluded' }),
})

const common = { ...requestMetrics, model: ModelMetrics }

/** Requests, timed until the response starts, since a stream may continue for hours. Health and metrics probes are excluded. */
export const Performance = z.object({
  period: PerformancePeriod,
  from: z.string(),
  to: z.string(),
  ...common,
  by_route: z.array(z.object({ route: z.string(), ...requestMetrics })),
  by_model: z.array(z.object({ model: z.string(), ...ModelMetrics.shape })),
})
export type Performance = z.output<typeof Performance>

export const PerformanceHistory = z.object({
  period: PerformancePeriod,
  granularity: Granularity,
  tz: z.string(),
  history: z.array(z.object({ bucket: z.string(), label: z.string(), ...common })),
})
export type PerformanceHistory = z.output<typeof PerformanceHistory>

/** Whole minutes, because samples cover whole minutes; the last one is partial. */
const startOf = (now: number, period: PerformancePeriod, zone: string): number =>
  period === '1h' ? Math.floor(now / minute) * minute - 59 * minute : periodSpan(now, period, zone).from

/** Stores the minutes that have ended. Nothing is written while there are no requests. */
export async function storeMeasurements(host: Host): Promise<void> {
  const { pending } = measurements(host)
  const over = [...pending].filter(([start]) => start + minute <= host.clock.now())
  const rows = over.map(([start, measured]) => insertSample(start, measured))
  try {
    await host.sql.write(rows, { durable: false })
    measurements(host).stored(over.map(([start]) => start))
  } catch (cause) {
    // A full disk must not block due work.
    host.log.write('warn', 'cannot store performance metrics', { cause })
  }
}

/** The samples of a time range, whether stored or still in memory. */
async function samplesOf(host: Host, from: number, to: number): Promise<Sample[]> {
  const stored = await samplesBetween(host, from, to)
  const pending = [...measurements(host).pending]
    .filter(([at]) => at >= from && at < to)
    .map(([at, measured]) => ({ at, measured }))
  return [...stored, ...pending]
}

function sumOf(samples: readonly Sample[]): Measured {
  const sum = emptyMeasured()
  for (const { measured } of samples) addMeasured(sum, measured)
  return sum
}

export async function readPerformance(context: Context, period: PerformancePeriod): Promise<Performance> {
  const now = context.clock.now()
  const from = startOf(now, period, await callerTimeZone(context))
  const samples = await samplesOf(context, from, now + 1)
  const sum = sumOf(samples)
  // Do not count the time before the first request towards the rate, for example right after installation.
  const minutes = Math.max(1, (now - Math.max(from, samples[0]?.at ?? from)) / minute)
  return {
    period,
    from: iso(from),
    to: iso(now),
    ...metricsOf(sum, minutes),
    by_route: [...sum.requests]
      .map(([route, one]) => ({ route, ...requestMetricsOf(one, minutes) }))
      .sort((left, right) => right.requests - left.requests),
    by_model: [...sum.models]
      .map(([model, one]) => ({ model, ...modelMetricsOf(one) }))
      .sort((left, right) => right.calls - left.calls),
  }
}

/** Share of requests since `from` that failed; for alerts. */
export async function errorRateSince(host: Host, from: number): Promise<number> {
  return metricsOf(sumOf(await samplesOf(host, from, host.clock.now() + 1)), 1).error_rate
}

const defaults: Record<PerformancePeriod, Granularity> = {
  '1h': 'minute',
  '24h': 'hour',
  '7d': 'day',
  '30d': 'day',
}

interface HistoryRequest {
  period: PerformancePeriod
  granularity?: Granularity | undefined
  tz?: string | undefined
}

export async function readPerformanceHistory(
  context: Context,
  { period, granularity = defaults[period], tz }: HistoryRequest,
): Promise<PerformanceHistory> {
  if (granularity === 'minute' && period !== '1h' && period !== '24h')
    throw badRequest('granularity=minute requires period=1h or 24h, because minutes are kept for two days')
  const now = context.clock.now()
  const zone = tz ?? (await callerTimeZone(context))
  const buckets = bucketsFor(granularity, { from: startOf(now, period, zone), to: now + 1 }, zone)
  const sums = buckets.map(emptyMeasured)
  let place = 0
  for (const { at, measured } of await samplesOf(context, buckets[0]?.start ?? now, now + 1)) {
    if (at < (buckets[place]?.start ?? 0)) place = 0
    while (at >= (buckets[place]?.end ?? Number.POSITIVE_INFINITY)) place += 1
    const sum = sums[place]
    if (sum) addMeasured(sum, measured)
  }
  const history = buckets.map(({ start, end, label }, index) => ({
    bucket: iso(start),
    label,
    ...metricsOf(sums[index] ?? emptyMeasured(), Math.max(1, (end - start) / minute)),
  }))
  return { period, granularity, tz: zone, history }
}

function bucketsFor(unit: Granularity, { from, to }: { from: number; to: number }, zone: string): Bucket[] {
  if (unit !== 'minute') return bucketsOf({ from, to, unit }, zone)
  const read = zoneReader(zone)
  return Array.from({ length: Math.ceil((to - from) / minute) }, (_, index) => {
    const start = from + index * minute
    const clock = read(start)
    const minutes = Math.floor(start / minute + clock.offset) % 60
    const label = `${String(clock.hour).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
    return { label, start, end: start + minute }
  })
}

function metricsOf({ requests, models }: Measured, minutes: number): z.output<z.ZodObject<typeof common>> {
  const all = noRequests()
  for (const one of requests.values()) addRequests(all, one)
  const calls = noModelCalls()
  for (const one of models.values()) addModelCalls(calls, one)
  return { ...requestMetricsOf(all, minutes), model: modelMetricsOf(calls) }
}

const requestMetricsOf = ({ count, errors, times }: Requests, minutes: number) => ({
  requests: count,
  requests_per_minute: Math.round((count / minutes) * 100) / 100,
  error_rate: share(errors, count),
  latency_ms: percentiles(times),
})

const modelMetricsOf = ({ count, errors, times, first }: ModelCalls) => ({
  calls: count,
  ttft_ms: percentiles(first),
  latency_ms: percentiles(times),
  error_rate: share(errors, count),
})

const share = (part: number, total: number) => (total === 0 ? 0 : Math.round((part / total) * 10_000) / 10_000)

function percentiles(times: Times): Percentiles {
  const sorted = [...times].sort(([left], [right]) => left - right)
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return null
  const at = (part: number) => {
    let left = Math.ceil(total * part)
    for (const [bucket, count] of sorted) {
      left -= count
      if (left <= 0) return millisecondsOf(bucket)
    }
    return 0
  }
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
