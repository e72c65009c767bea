import type { Host } from '../../host.ts'
import { minute } from '../../time.ts'
import { type IndexFilter, type Measured, VectorRows } from './vector-rows.ts'
import {
  changesAfter,
  changesKept,
  type IndexedVector,
  indexedAfter,
  indexedOf,
  lastVector,
  type StoredVector,
  toVector,
} from './vector-store.ts'

type Needs = Pick<Host, 'sql' | 'clock'>

/** Vectors read between two turns of the event loop: about four milliseconds. */
const chunk = 250
/** Milliseconds without a search after which what takes the most room is let go. */
const idle = 15 * minute
/** Places all over the ids at which the mean is measured, because neighbours are about the same. */
const samples = 16
/** The mean of fewer vectors is drawn towards zero, because a few say little of the rest. */
const meanDamping = 20
/** Past this many its mean is good enough for good. */
const meanSettled = 2_000

/**
 * All vectors of one model, in memory. The database is the truth: every search first follows what has changed there, so
 * other processes and deletions are heeded too.
 */
export class VectorIndex {
  readonly model: string
  #rows = new VectorRows(new Float32Array(0))
  #seen = -1
  #mean_of = 0
  #syncing: Promise<void> | undefined
  #used = 0
  #watched = false

  constructor(model: string) {
    this.model = model
  }

  /** What vectors share on average; nearness is measured from here. */
  get mean(): Float32Array {
    return this.#rows.mean
  }

  get size(): number {
    return this.#rows.size
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#rows.bytes
  }

  /** Follows the database. The first time it reads everything, with turns for others in between. */
  sync(host: Needs): Promise<void> {
    this.#used = host.clock.now()
    if (!this.#watched) void this.#watch(host)
    this.#syncing ??= this.#follow(host).finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  /** Ids of the vectors nearest to `direction`, which is measured from the mean. */
  nearest(direction: Float32Array, filter: IndexFilter, most: number): number[] {
    return this.#rows.nearest(direction, filter, most)
  }

  /** How near these vectors are, as far as that can be told without the database. */
  measure(ids: readonly number[], direction: Float32Array): Measured {
    return this.#rows.measure(ids, direction)
  }

  /** Keeps a vector in memory that had to be read. */
  keep(vector: StoredVector): void {
    this.#rows.keep(vector)
  }

  /** Ids of the vectors of these episodes. */
  idsOf(episodes: readonly number[]): number[] {
    const ids: number[] = []
    for (const episode of episodes) ids.push(...this.#rows.idsOf(episode))
    return ids
  }

  /** Lets most of the memory go when nobody has searched for a while. */
  async #watch({ clock }: Needs): Promise<void> {
    this.#watched = true
    for (let left: number = idle; left > 0; left = this.#used + idle - clock.now())
      await clock.after(Math.min(left, idle))
    this.#watched = false
    this.#rows.forgetBytes()
  }

  async #follow(host: Needs): Promise<void> {
    const kept = await changesKept(host)
    if (this.#seen < 0 || kept.first > this.#seen + 1) return this.#build(host)
    while (this.#seen < kept.last) {
      const changes = await changesAfter(host, this.#seen, chunk)
      if (changes.length === 0) return
      if (changes.some(({ episode }) => episode === 0)) return this.#build(host)
      const episodes = [...new Set(changes.map(({ episode }) => episode))]
      const vectors = await indexedOf(host, this.model, episodes)
      for (const episode of episodes) this.#rows.drop(episode)
      for (const vector of vectors) this.#add(vector)
      this.#seen = changes.at(-1)?.seq ?? this.#seen
      if (changes.length === chunk) await host.clock.after(0)
    }
    if (this.#mean_of < meanSettled && this.size > this.#mean_of * 2) await this.#build(host)
  }

  #add(vector: IndexedVector): void {
    const dimensions = toVector(vector.vector).length
    if (this.mean.length === 0) this.#rows = new VectorRows(new Float32Array(dimensions))
    this.#rows.add(vector)
  }

  /** The rows of before answer until the new ones are complete. */
  async #build(host: Needs): Promise<void> {
    const { last } = await changesKept(host)
    const { mean, count } = await this.#measureMean(host)
    const rows = new VectorRows(mean)
    for (let after = -1, read = chunk; read === chunk; ) {
      const vectors = await indexedAfter(host, { model: this.model, after, most: chunk })
      for (const vector of vectors) rows.add(vector)
      after = vectors.at(-1)?.id ?? after
      read = vectors.length
      if (read === chunk) await host.clock.after(0)
    }
    this.#rows = rows
    this.#mean_of = count
    this.#seen = last
  }

  async #measureMean(host: Needs): Promise<{ mean: Float32Array; count: number }> {
    const end = await lastVector(host)
    const sum: number[] = []
    let count = 0
    let after = -1
    for (let sample = 0; sample < samples; sample += 1) {
      after = Math.max(after, Math.floor((end * sample) / samples) - 1)
      for (const row of await indexedAfter(host, { model: this.model, after, most: chunk })) {
        toVector(row.vector).forEach((value, index) => {
          sum[index] = (sum[index] ?? 0) + value
        })
        count += 1
        after = row.id
      }
      await host.clock.after(0)
    }
    return { mean: Float32Array.from(sum, (value) => value / (count + meanDamping)), count }
  }
}
