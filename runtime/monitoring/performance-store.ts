import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Measured, ModelCalls, Requests, Times } from '../measurements.ts'
import type { Statement } from '../ports/sql.ts'
import { readRows, sql } from '../statement.ts'
import type { Sql } from '../table.ts'
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

export function insertSample(at: number, measured: Measured, seconds = minute / second): Statement {
  return sql`INSERT INTO performance_samples (id, at, seconds, data)
    VALUES (${newId('perf', at)}, ${iso(at)}, ${seconds}, ${JSON.stringify(toData(measured))})`
}

interface Row {
  at: string
  data: string
}

const toSample = ({ at, data }: Row): Sample => ({
  at: Date.parse(at),
  measured: fromData(JSON.parse(data) as Data),
})

/** Stored samples with a start in [`from`, `to`), in milliseconds since the epoch, oldest first. */
export async function samplesBetween(host: Sql, from: number, to: number): Promise<Sample[]> {
  const rows = await readRows<Row>(
    host,
    sql`SELECT at, data FROM performance_samples WHERE at >= ${iso(from)} AND at < ${iso(to)} ORDER BY at`,
  )
  return rows.map(toSample)
}

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
  const rows = await readRows<Row>(
    host,
    sql`SELECT at, data FROM performance_samples WHERE at < ${iso(until)} AND seconds < ${hour / second} ORDER BY at`,
  )
  const hours = new Map<number, Measured>()
  for (const { at, measured } of rows.map(toSample)) {
    const start = Math.floor(at / hour) * hour
    const sum = hours.get(start) ?? emptyMeasured()
    hours.set(start, sum)
    addMeasured(sum, measured)
  }
  return [
    sql`DELETE FROM performance_samples WHERE at < ${iso(now - keptHours)}`,
    sql`DELETE FROM performance_samples WHERE at < ${iso(until)} AND seconds < ${hour / second}`,
    ...[...hours].map(([start, measured]) => insertSample(start, measured, hour / second)),
  ]
}
