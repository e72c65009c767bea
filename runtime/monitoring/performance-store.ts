import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Measured, ModelCalls, Requests, Times } from '../measurements.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import { day, hour, iso, minute, second } from '../time.ts'

type TimesData = Record<string, number>

/** The column `data`: counts, errors and times by route, and the same by model, with times to the first token. */
interface Data {
  requests: Record<string, [count: number, errors: number, times: TimesData]>
  models: Record<string, [count: number, errors: number, times: TimesData, first: TimesData]>
}

export interface Sample {
  /** Milliseconds since the epoch. */
  at: number
  measured: Measured
}

const timesData = (times: Times): TimesData => Object.fromEntries(times)
const toTimes = (data: TimesData): Times =>
  new Map(Object.entries(data).map(([bucket, count]) => [Number(bucket), count]))

function toData({ requests, models }: Measured): Data {
  return {
    requests: Object.fromEntries(
      [...requests].map(([route, one]) => [route, [one.count, one.errors, timesData(one.times)]]),
    ),
    models: Object.fromEntries(
      [...models].map(([model, one]) => [model, [one.count, one.errors, timesData(one.times), timesData(one.first)]]),
    ),
  }
}

function fromData({ requests, models }: Data): Measured {
  const toRequests = ([count, errors, times]: Data['requests'][string]): Requests => ({
    count,
    errors,
    times: toTimes(times),
  })
  const toModels = ([count, errors, times, first]: Data['models'][string]): ModelCalls => ({
    count,
    errors,
    times: toTimes(times),
    first: toTimes(first),
  })
  return {
    requests: new Map(Object.entries(requests).map(([route, one]) => [route, toRequests(one)])),
    models: new Map(Object.entries(models).map(([model, one]) => [model, toModels(one)])),
  }
}

const samples = new Table<{ id: string; at: string; seconds: number; data: Data }>('performance_samples', {
  json: ['data'],
})

export const insertSample = (at: number, measured: Measured, seconds = minute / second): Statement =>
  samples.insert({ id: newId('perf', at), at: iso(at), seconds, data: toData(measured) })

const toSample = ({ at, data }: { at: string; data: Data }): Sample => ({
  at: Date.parse(at),
  measured: fromData(data),
})

/** Stored samples with a start in [`from`, `to`), in milliseconds since the epoch, oldest first. */
export const samplesBetween = async (host: Sql, from: number, to: number): Promise<Sample[]> =>
  (await samples.list(host, 'at', sql`at >= ${iso(from)} AND at < ${iso(to)}`)).map(toSample)

export const emptyMeasured = (): Measured => ({ requests: new Map(), models: new Map() })

/** Adds `from` to `into`. */
export function addMeasured(into: Measured, from: Measured): void {
  for (const [route, one] of from.requests) addRequests(entry(into.requests, route, noRequests), one)
  for (const [model, one] of from.models) addModelCalls(entry(into.models, model, noModelCalls), one)
}

export const noRequests = (): Requests => ({ count: 0, errors: 0, times: new Map() })
export const noModelCalls = (): ModelCalls => ({ ...noRequests(), first: new Map() })

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const row = map.get(key)
  if (row) return row
  const made = make()
  map.set(key, made)
  return made
}

export function addRequests(into: Requests, { count, errors, times }: Requests): void {
  into.count += count
  into.errors += errors
  addTimes(into.times, times)
}

export function addModelCalls(into: ModelCalls, from: ModelCalls): void {
  addRequests(into, from)
  addTimes(into.first, from.first)
}

function addTimes(into: Times, from: Times): void {
  for (const [bucket, count] of from) into.set(bucket, (into.get(bucket) ?? 0) + count)
}

/** Age at which minutes are merged into hours, and at which hours are deleted. */
const keptMinutes = 2 * day
const keptHours = 35 * day

/** Statements that merge old minutes into hours and delete old hours. */
export async function pruneSamples(host: Pick<Host, 'sql' | 'clock'>): Promise<Statement[]> {
  const now = host.clock.now()
  const until = Math.floor((now - keptMinutes) / hour) * hour
  const old = sql`at < ${iso(until)} AND seconds < ${hour / second}`
  const rows = await samples.list(host, 'at', old)
  const hours = new Map<number, Measured>()
  for (const { at, measured } of rows.map(toSample)) {
    const start = Math.floor(at / hour) * hour
    const sum = hours.get(start) ?? emptyMeasured()
    hours.set(start, sum)
    addMeasured(sum, measured)
  }
  return [
    samples.delete(sql`at < ${iso(now - keptHours)}`),
    samples.delete(old),
    ...[...hours].map(([start, measured]) => insertSample(start, measured, hour / second)),
  ]
}
