import { processState } from './process-state.ts'
import { minute } from './time.ts'

/** Times by logarithmic bucket, so that they can be merged: bucket `n` ends at `growth ** n` ms. */
export type Times = Map<number, number>

/** Each bucket is a tenth larger than the one before, so a percentile is at most 5 % off. */
const growth = 1.1

export interface Requests {
  count: number
  /** Answers with a status of 500 or above. */
  errors: number
  times: Times
}

export interface ModelCalls {
  count: number
  errors: number
  /** Whole calls. */
  times: Times
  /** Until the first part of the answer. */
  first: Times
}

/** What was measured in one minute. */
export interface Measured {
  /** By method and route template. */
  requests: Map<string, Requests>
  models: Map<string, ModelCalls>
}

export const bucketOf = (milliseconds: number): number =>
  milliseconds < 1 ? 0 : Math.ceil(Math.log(milliseconds) / Math.log(growth))

/** Milliseconds in the middle of a bucket. */
export const millisecondsOf = (bucket: number): number =>
  bucket === 0 ? 0 : Math.round(((growth ** (bucket - 1) + growth ** bucket) / 2) * 10) / 10

const addTime = (times: Times, milliseconds: number): void => {
  const bucket = bucketOf(milliseconds)
  times.set(bucket, (times.get(bucket) ?? 0) + 1)
}

/** Minutes that are kept while they cannot be stored. */
const maxMinutes = 60

/** Models of one minute, whose names people can choose. Further ones are counted as `other`. */
const maxModels = 100

/** Requests and model calls of this process by minute, until they are stored. */
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

  /** `first` is null if no part of an answer arrived. */
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
    const known = this.#minutes.get(start)
    if (known) return known
    const measured: Measured = { requests: new Map(), models: new Map() }
    this.#minutes.set(start, measured)
    if (this.#minutes.size > maxMinutes) this.#minutes.delete(this.#minutes.keys().next().value ?? start)
    return measured
  }

  /** The minutes that are not stored yet, by their start. */
  get pending(): ReadonlyMap<number, Measured> {
    return this.#minutes
  }

  stored(starts: readonly number[]): void {
    for (const start of starts) this.#minutes.delete(start)
  }
}

export const measurements = processState(() => new Measurements())
