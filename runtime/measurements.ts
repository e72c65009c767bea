import { processState } from './process-state.ts'
import { minute } from './time.ts'

/** A histogram with logarithmic buckets, which can be merged: bucket `n` ends at `growth ** n` ms. */
export type Times = Map<number, number>

/** Each bucket is 10 % larger than the previous one, so percentiles are accurate to 5 %. */
const growth = 1.1

export interface Requests {
  count: number
  /** Responses with status 500 or above. */
  errors: number
  times: Times
}

export interface ModelCalls {
  count: number
  errors: number
  /** Duration of the whole call. */
  times: Times
  /** Time to the first token. */
  first: Times
}

/** The measurements of one minute. */
export interface Measured {
  /** By method and route template. */
  requests: Map<string, Requests>
  models: Map<string, ModelCalls>
}

export const bucketOf = (milliseconds: number): number =>
  milliseconds < 1 ? 0 : Math.ceil(Math.log(milliseconds) / Math.log(growth))

/** The midpoint of a bucket, in milliseconds. */
export const millisecondsOf = (bucket: number): number =>
  bucket === 0 ? 0 : Math.round(((growth ** (bucket - 1) + growth ** bucket) / 2) * 10) / 10

const addTime = (times: Times, milliseconds: number): void => {
  const bucket = bucketOf(milliseconds)
  times.set(bucket, (times.get(bucket) ?? 0) + 1)
}

/** Maximum minutes kept in memory while they cannot be stored. */
const maxMinutes = 60

/** Maximum models per minute, because model names are arbitrary. Further ones are counted as `other`. */
const maxModels = 100

/** Requests and model calls of this process by minute, buffered until they are stored. */
export class Measurements {
  readonly #minutes = new Map<number, Measured>()

  request(now: number, route: string, { status, took }: { status: number; took: number }): void {
    const { requests } = this.#at(now)
    let one = requests.get(route)
    if (!one) {
      one = { count: 0, errors: 0, times: new Map() }
      requests.set(route, one)
    }
    one.count += 1
    if (status >= 500) one.errors += 1
    addTime(one.times, took)
  }

  /** `first` is null if no token arrived. */
  model(
    now: number,
    model: string,
    { failed, took, first }: { failed: boolean; took: number; first: number | null },
  ): void {
    const { models } = this.#at(now)
    const name = models.has(model) || models.size < maxModels ? model : 'other'
    let one = models.get(name)
    if (!one) {
      one = { count: 0, errors: 0, times: new Map(), first: new Map() }
      models.set(name, one)
    }
    one.count += 1
    if (failed) one.errors += 1
    addTime(one.times, took)
    if (first !== null) addTime(one.first, first)
  }

  #at(now: number): Measured {
    const start = Math.floor(now / minute) * minute
    const current = this.#minutes.get(start)
    if (current) return current
    const measured: Measured = { requests: new Map(), models: new Map() }
    this.#minutes.set(start, measured)
    if (this.#minutes.size > maxMinutes) this.#minutes.delete(this.#minutes.keys().next().value ?? start)
    return measured
  }

  /** The minutes that are not stored yet, by start time. */
  get pending(): ReadonlyMap<number, Measured> {
    return this.#minutes
  }

  stored(starts: readonly number[]): void {
    for (const start of starts) this.#minutes.delete(start)
  }
}

export const measurements = processState(() => new Measurements())
