import type { EpisodeFilter } from '../filter.ts'
import { ByteCodes } from './byte-codes.ts'
import { nearestRows, wordsFor, writeBits } from './sign-bits.ts'
import { episodeOf, firstId, type IndexedVector, type StoredVector, toVector } from './vector-store.ts'

const firstRoom = 256
/** Columns grow by this factor, so that little of them is empty. */
const growth = 1.25

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

export interface Measured {
  /** Cosines from the mean, by the id of the vector. */
  cosines: Map<number, number>
  /** Ids that have to be read to be measured. */
  missing: number[]
}

type Column = Int32Array | Float64Array

/**
 * Vectors as a table in memory: of each the signs of (vector − mean) as bits to find what is near, its bytes to measure
 * how near, and what its episode is filtered by. At 512 dimensions that is 64 + 516 + 24 bytes.
 */
export class VectorRows {
  readonly mean: Float32Array
  #codes: ByteCodes
  #size = 0
  #bits = new Int32Array(0)
  #ids = new Float64Array(0)
  #created = new Float64Array(0)
  #agents = new Int32Array(0)
  #sources = new Int32Array(0)
  readonly #names = new Map<string, number>()
  readonly #places = new Map<number, number>()

  constructor(mean: Float32Array) {
    this.mean = mean
    this.#codes = new ByteCodes(mean)
  }

  get size(): number {
    return this.#size
  }

  /** Bytes that it holds. */
  get bytes(): number {
    const columns = [this.#bits, this.#ids, this.#created, this.#agents, this.#sources]
    return columns.reduce((sum, { byteLength }) => sum + byteLength, this.#codes.bytes)
  }

  /** A vector of another length than the rest is left out. */
  add({ id, vector, agent_id, source, created_at }: IndexedVector): void {
    const values = toVector(vector)
    if (values.length !== this.mean.length) return
    const row = this.#places.get(id) ?? this.#size
    if (row === this.#size) this.#size += 1
    this.#makeRoom()
    this.#places.set(id, row)
    this.#ids[row] = id
    writeBits(this.#bits, row * wordsFor(values.length), { vector: values, mean: this.mean })
    this.#codes.write(row, values)
    this.#agents[row] = agent_id === null ? -1 : this.#numberOf(agent_id)
    this.#sources[row] = this.#numberOf(source)
    this.#created[row] = Date.parse(created_at)
  }

  /** The last row takes the place of each that goes. */
  drop(episode: number): void {
    const width = wordsFor(this.mean.length)
    for (const id of this.idsOf(episode)) {
      const row = this.#places.get(id) as number
      const last = this.#size - 1
      const moved = this.#ids[last] as number
      this.#bits.copyWithin(row * width, last * width, (last + 1) * width)
      this.#codes.move(last, row)
      for (const column of [this.#ids, this.#created, this.#agents, this.#sources])
        column[row] = column[last] as number
      this.#places.set(moved, row)
      this.#places.delete(id)
      this.#size = last
    }
  }

  /** Keeps the bytes of a vector where they are still missing: what was added since it was read is newer. */
  keep({ id, vector }: StoredVector): void {
    const row = this.#places.get(id)
    const values = toVector(vector)
    if (row === undefined || this.#codes.has(row) || values.length !== this.mean.length) return
    this.#codes.write(row, values)
  }

  /** Lets the bytes go, nine tenths of all; what is near can still be found, and is read to be measured. */
  forgetBytes(): void {
    this.#codes = new ByteCodes(this.mean)
  }

  /** Ids of the vectors of an episode, one per part of its text. */
  idsOf(episode: number): number[] {
    const ids: number[] = []
    for (let id = firstId(episode); this.#places.has(id); id += 1) ids.push(id)
    return ids
  }

  /** Ids of the vectors nearest to `direction`, which is measured from the mean. */
  nearest(direction: Float32Array, filter: IndexFilter, most: number): number[] {
    if (this.#size === 0 || direction.length !== this.mean.length) return []
    const query = new Int32Array(wordsFor(direction.length))
    writeBits(query, 0, { vector: direction, mean: new Float32Array(direction.length) })
    const scan = { bits: this.#bits, rows: this.#size, query, passes: this.#mask(filter) }
    return nearestRows(scan, most).map((row) => this.#ids[row] as number)
  }

  measure(ids: readonly number[], direction: Float32Array): Measured {
    const measured: Measured = { cosines: new Map(), missing: [] }
    // The loop over bytes is faster with numbers that need not be widened first.
    const wide = Float64Array.from(direction)
    const length = Math.hypot(...direction)
    for (const id of ids) {
      const row = this.#places.get(id)
      const cosine = row === undefined ? null : this.#codes.cosine(row, wide, length)
      if (cosine === null) measured.missing.push(id)
      else measured.cosines.set(id, cosine)
    }
    return measured
  }

  #makeRoom(): void {
    if (this.#size <= this.#ids.length) return
    const room = Math.max(firstRoom, Math.ceil(this.#ids.length * growth))
    this.#bits = grown(this.#bits, new Int32Array(room * wordsFor(this.mean.length)))
    this.#ids = grown(this.#ids, new Float64Array(room))
    this.#created = grown(this.#created, new Float64Array(room))
    this.#agents = grown(this.#agents, new Int32Array(room))
    this.#sources = grown(this.#sources, new Int32Array(room))
  }

  #numberOf(name: string): number {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    this.#names.set(name, this.#names.size)
    return this.#names.size - 1
  }

  /** What a row must be to count; undefined where every one counts. */
  #mask(filter: IndexFilter): ((row: number) => boolean) | undefined {
    const { source, agent_id, visible_to, start_date, end_date, within } = filter
    const used = [source, agent_id, visible_to, start_date, end_date, within]
    if (used.every((member) => member === undefined)) return undefined
    const number = (name: string) => this.#names.get(name) ?? -2
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

function grown<Kind extends Column>(column: Kind, larger: Kind): Kind {
  larger.set(column)
  return larger
}
