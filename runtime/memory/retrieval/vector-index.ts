import type { Host } from '../../host.ts'
import type { EpisodeFilter } from '../filter.ts'
import { nearestRows, wordsFor, writeBits } from './sign-bits.ts'
import {
  changesAfter,
  changesKept,
  episodeOf,
  type IndexedVector,
  indexedAfter,
  indexedOf,
  toVector,
} from './vector-store.ts'

type Needs = Pick<Host, 'sql' | 'clock'>

/** Vectors read between two turns of the event loop: about two milliseconds. */
const chunk = 250
const firstRoom = 256
/** The mean of fewer vectors is drawn towards zero, because a few say little of the rest. */
const meanDamping = 20
/** Past this many its mean is good enough for good. */
const meanSettled = 2_000

/** What the index can tell by itself, and the rows of the episodes that pass what it cannot. */
export interface IndexFilter extends EpisodeFilter {
  within?: readonly number[]
}

/** Members of a filter that the index can tell by itself. */
export const maskedBy: readonly (keyof EpisodeFilter)[] = [
  'source',
  'agent_id',
  'visible_to',
  'start_date',
  'end_date',
]

/**
 * The signs of all vectors of one model, in memory: 64 bytes for 512 dimensions. The database is the truth: every
 * search first follows what has changed there, so other processes and deletions are heeded too.
 */
export class VectorIndex {
  readonly model: string
  /** What vectors share on average; nearness is measured from here. */
  mean = new Float32Array(0)
  #rows = 0
  #bits = new Uint32Array(0)
  #ids = new Float64Array(0)
  #created = new Float64Array(0)
  #agents = new Int32Array(0)
  #sources = new Int32Array(0)
  #names = new Map<string | null, number>()
  #places = new Map<number, number>()
  #seen = -1
  #mean_of = 0
  #syncing: Promise<void> | undefined

  constructor(model: string) {
    this.model = model
  }

  get size(): number {
    return this.#rows
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#bits.byteLength + this.#ids.byteLength * 2 + this.#agents.byteLength * 2
  }

  /** Follows the database. The first time it reads everything, with turns for others in between. */
  sync(host: Needs): Promise<void> {
    this.#syncing ??= this.#follow(host).finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  /** Ids of the vectors nearest to `direction`, which is measured from the mean. */
  nearest(direction: Float32Array, filter: IndexFilter, most: number): number[] {
    if (this.#rows === 0 || direction.length !== this.mean.length) return []
    const query = new Uint32Array(wordsFor(direction.length))
    writeBits(query, 0, { vector: direction, mean: new Float32Array(direction.length) })
    const scan = { bits: this.#bits, rows: this.#rows, query, passes: this.#mask(filter) }
    return nearestRows(scan, most).map((row) => this.#ids[row] as number)
  }

  async #follow(host: Needs): Promise<void> {
    const kept = await changesKept(host)
    if (this.#seen < 0 || kept.first > this.#seen + 1) return this.#build(host)
    while (this.#seen < kept.last) {
      const changes = await changesAfter(host, this.#seen, chunk)
      if (changes.length === 0) return
      if (changes.some(({ episode }) => episode === 0)) return this.#build(host)
      const episodes = [...new Set(changes.map(({ episode }) => episode))]
      for (const episode of episodes) this.#drop(episode)
      for (const row of await indexedOf(host, this.model, episodes)) this.#add(row)
      this.#seen = changes.at(-1)?.seq ?? this.#seen
      if (changes.length === chunk) await host.clock.after(0)
    }
    if (this.#mean_of < meanSettled && this.#rows > this.#mean_of * 2) await this.#build(host)
  }

  async #build(host: Needs): Promise<void> {
    this.#seen = (await changesKept(host)).last
    this.#rows = 0
    this.#places.clear()
    await this.#measureMean(host)
    for (let after = -1; ; ) {
      const rows = await indexedAfter(host, { model: this.model, after, most: chunk })
      for (const row of rows) this.#add(row)
      after = rows.at(-1)?.id ?? after
      if (rows.length < chunk) return
      await host.clock.after(0)
    }
  }

  /** From samples all over the ids, because neighbours are about the same. */
  async #measureMean(host: Needs): Promise<void> {
    const last = await host.sql.read<{ id: number | null }>('SELECT max(id) AS id FROM episode_vectors')
    const end = last[0]?.id ?? 0
    const samples = 16
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
    this.#mean_of = count
    this.mean = Float32Array.from(sum, (value) => value / (count + meanDamping))
  }

  #add({ id, vector, agent_id, source, created_at }: IndexedVector): void {
    const values = toVector(vector)
    if (this.mean.length === 0) this.mean = new Float32Array(values.length)
    if (values.length !== this.mean.length) return
    const row = this.#places.get(id) ?? this.#rows
    if (row === this.#rows) this.#rows += 1
    this.#makeRoom()
    this.#places.set(id, row)
    this.#ids[row] = id
    writeBits(this.#bits, row * wordsFor(values.length), { vector: values, mean: this.mean })
    this.#agents[row] = agent_id === null ? -1 : this.#numberOf(agent_id)
    this.#sources[row] = this.#numberOf(source)
    this.#created[row] = Date.parse(created_at)
  }

  /** The last row takes the place of each that goes. */
  #drop(episode: number): void {
    const width = wordsFor(this.mean.length)
    for (let id = episode * 64; this.#places.has(id); id += 1) {
      const row = this.#places.get(id) as number
      const last = this.#rows - 1
      const moved = this.#ids[last] as number
      this.#bits.copyWithin(row * width, last * width, (last + 1) * width)
      for (const column of [this.#ids, this.#created, this.#agents, this.#sources])
        column[row] = column[last] as number
      this.#places.set(moved, row)
      this.#places.delete(id)
      this.#rows = last
    }
  }

  #makeRoom(): void {
    if (this.#rows <= this.#ids.length) return
    const room = Math.max(firstRoom, this.#ids.length * 2)
    const grown = <Column extends Uint32Array | Float64Array | Int32Array>(
      column: Column,
      length: number,
    ) => {
      const larger = new (column.constructor as new (length: number) => Column)(length)
      larger.set(column)
      return larger
    }
    this.#bits = grown(this.#bits, room * wordsFor(this.mean.length))
    this.#ids = grown(this.#ids, room)
    this.#created = grown(this.#created, room)
    this.#agents = grown(this.#agents, room)
    this.#sources = grown(this.#sources, room)
  }

  #numberOf(name: string): number {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    this.#names.set(name, this.#names.size)
    return this.#names.size - 1
  }

  #mask(filter: IndexFilter): (row: number) => boolean {
    const number = (name: string) => this.#names.get(name) ?? -2
    const { source, agent_id, visible_to, start_date, end_date, within } = filter
    const from = start_date === undefined ? -Infinity : Date.parse(start_date)
    const until = end_date === undefined ? Infinity : Date.parse(end_date)
    const agent = agent_id === undefined ? undefined : number(agent_id)
    const from_source = source === undefined ? undefined : number(source)
    const visible = visible_to && new Set([-1, ...visible_to.map(number)])
    const inside = within && new Set(within)
    return (row) =>
      (agent === undefined || this.#agents[row] === agent) &&
      (from_source === undefined || this.#sources[row] === from_source) &&
      (this.#created[row] as number) >= from &&
      (this.#created[row] as number) <= until &&
      (!visible || visible.has(this.#agents[row] as number)) &&
      (!inside || inside.has(episodeOf(this.#ids[row] as number)))
  }
}
