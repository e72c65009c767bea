import type { Host } from '../../host.ts'
import { minute } from '../../time.ts'
import { type EpisodeFilter, type Reader, visible } from '../store.ts'
import { ByteCodes, nearestRows, wordsFor, writeBits } from './vector-codes.ts'
import {
  changeRange,
  changesAfter,
  episodeOf,
  filteredRows,
  firstId,
  type IndexedVector,
  indexedAfter,
  indexedOf,
  lastVector,
  type StoredVector,
  toVector,
} from './vector-store.ts'

type Needs = Pick<Host, 'sql' | 'clock'>

/** Filter members that the index itself can check. */
const indexedMembers: readonly (keyof EpisodeFilter)[] = [
  'owner_id',
  'source',
  'agent_id',
  'visible_to',
  'start_date',
  'end_date',
]

/** A filter for the index, with the rows that pass the members that it cannot check. */
export interface IndexFilter extends EpisodeFilter {
  rows?: readonly number[]
}

/** The filter for what the caller may see. */
export async function indexFilter(host: Reader, request: EpisodeFilter): Promise<IndexFilter> {
  const filter = visible(host, request)
  const rest = Object.entries(filter).filter(
    ([name, value]) => value !== undefined && !(indexedMembers as readonly string[]).includes(name),
  )
  if (rest.length === 0) return filter
  return { ...filter, rows: await filteredRows(host, Object.fromEntries(rest)) }
}

export interface Measured {
  /** Cosines by vector id, measured from the mean. */
  cosines: Map<number, number>
  /** Ids that are not in memory. */
  missing: number[]
}

const firstCapacity = 256
/** Columns grow by this factor, so that little memory is unused. */
const growth = 1.25

/**
 * A table of vectors in memory: the signs of (vector − mean) as bits to find what is near, bytes to measure
 * how near, and the filter columns of the episode. 64 + 516 + 28 bytes per row at 512 dimensions.
 */
export class VectorRows {
  readonly mean: Float32Array
  #codes: ByteCodes
  #size = 0
  #bits = new Int32Array(0)
  #ids = new Float64Array(0)
  #created = new Float64Array(0)
  #owners = new Int32Array(0)
  #agents = new Int32Array(0)
  #sources = new Int32Array(0)
  /** Numbers of owners, agents and sources. */
  readonly #names = new Map<string, number>()
  /** Rows by vector id. */
  readonly #places = new Map<number, number>()

  constructor(mean: Float32Array) {
    this.mean = mean
    this.#codes = new ByteCodes(mean)
  }

  get size(): number {
    return this.#size
  }

  /** Size in bytes. */
  get bytes(): number {
    const columns = [this.#bits, this.#ids, this.#created, this.#owners, this.#agents, this.#sources]
    return columns.reduce((sum, { byteLength }) => sum + byteLength, this.#codes.bytes)
  }

  /** Adds or replaces a vector. A vector of another length is ignored. */
  add({ id, vector, owner_id, agent_id, source, created_at }: IndexedVector): void {
    const values = toVector(vector)
    if (values.length !== this.mean.length) return
    const row = this.#places.get(id) ?? this.#size
    if (row === this.#size) this.#size += 1
    this.#grow()
    this.#places.set(id, row)
    this.#ids[row] = id
    writeBits(this.#bits, row * wordsFor(values.length), { vector: values, mean: this.mean })
    this.#codes.write(row, values)
    this.#owners[row] = this.#numberOf(`owner ${owner_id}`)
    this.#agents[row] = agent_id === null ? -1 : this.#numberOf(agent_id)
    this.#sources[row] = this.#numberOf(source)
    this.#created[row] = Date.parse(created_at)
  }

  /** Removes the vectors of an episode. The last row moves into each gap. */
  drop(episode: number): void {
    const width = wordsFor(this.mean.length)
    for (const id of this.idsOf(episode)) {
      const row = this.#places.get(id) as number
      const last = this.#size - 1
      const moved = this.#ids[last] as number
      this.#bits.copyWithin(row * width, last * width, (last + 1) * width)
      this.#codes.move(last, row)
      for (const column of [this.#ids, this.#created, this.#owners, this.#agents, this.#sources])
        column[row] = column[last] as number
      this.#places.set(moved, row)
      this.#places.delete(id)
      this.#size = last
    }
  }

  /** Caches the bytes of a vector that was read, unless newer ones are cached. */
  keep({ id, vector }: StoredVector): void {
    const row = this.#places.get(id)
    const values = toVector(vector)
    if (row === undefined || this.#codes.has(row) || values.length !== this.mean.length) return
    this.#codes.write(row, values)
  }

  /**
   * Frees the bytes, which are nine tenths of the memory. Vectors are then read from the database to be
   * measured.
   */
  freeBytes(): void {
    this.#codes = new ByteCodes(this.mean)
  }

  /** The vector ids of an episode, one per part of its text. */
  idsOf(episode: number): number[] {
    const ids: number[] = []
    for (let id = firstId(episode); this.#places.has(id); id += 1) ids.push(id)
    return ids
  }

  /** The ids of the vectors nearest to `direction`, which is measured from the mean. */
  nearest(direction: Float32Array, filter: IndexFilter, count: number): number[] {
    if (this.#size === 0 || direction.length !== this.mean.length) return []
    const query = new Int32Array(wordsFor(direction.length))
    writeBits(query, 0, { vector: direction, mean: new Float32Array(direction.length) })
    const scan = { bits: this.#bits, rows: this.#size, query, passes: this.#predicate(filter) }
    return nearestRows(scan, count).map((row) => this.#ids[row] as number)
  }

  measure(ids: readonly number[], direction: Float32Array): Measured {
    const measured: Measured = { cosines: new Map(), missing: [] }
    // The loop over bytes is faster with doubles, which need no conversion.
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

  #grow(): void {
    if (this.#size <= this.#ids.length) return
    const capacity = Math.max(firstCapacity, Math.ceil(this.#ids.length * growth))
    this.#bits = copied(this.#bits, new Int32Array(capacity * wordsFor(this.mean.length)))
    this.#ids = copied(this.#ids, new Float64Array(capacity))
    this.#created = copied(this.#created, new Float64Array(capacity))
    this.#owners = copied(this.#owners, new Int32Array(capacity))
    this.#agents = copied(this.#agents, new Int32Array(capacity))
    this.#sources = copied(this.#sources, new Int32Array(capacity))
  }

  #numberOf(name: string): number {
    const number = this.#names.get(name)
    if (number !== undefined) return number
    this.#names.set(name, this.#names.size)
    return this.#names.size - 1
  }

  /** The filter as a predicate on rows; undefined if every row passes. */
  #predicate(filter: IndexFilter): ((row: number) => boolean) | undefined {
    const { owner_id, source, agent_id, visible_to, start_date, end_date, rows } = filter
    const used = [owner_id, source, agent_id, visible_to, start_date, end_date, rows]
    if (used.every((member) => member === undefined)) return undefined
    const number = (name: string) => this.#names.get(name) ?? -2
    const from = start_date === undefined ? -Infinity : Date.parse(start_date)
    const until = end_date === undefined ? Infinity : Date.parse(end_date)
    const owner = owner_id === undefined ? undefined : number(`owner ${owner_id}`)
    const agent = agent_id === undefined ? undefined : number(agent_id)
    const source_number = source === undefined ? undefined : number(source)
    const visible = visible_to && new Set([-1, ...visible_to.map(number)])
    const included = rows && new Set(rows)
    return (row) =>
      (owner === undefined || this.#owners[row] === owner) &&
      (agent === undefined || this.#agents[row] === agent) &&
      (source_number === undefined || this.#sources[row] === source_number) &&
      (this.#created[row] as number) >= from &&
      (this.#created[row] as number) <= until &&
      (!visible || visible.has(this.#agents[row] as number)) &&
      (!included || included.has(episodeOf(this.#ids[row] as number)))
  }
}

function copied<Column extends Int32Array | Float64Array>(column: Column, larger: Column): Column {
  larger.set(column)
  return larger
}

/** Vectors read between two turns of the event loop: about four milliseconds. */
const chunk = 250
/** Milliseconds without a search after which most of the memory is freed. */
const idle = 15 * minute
/** The mean is sampled at places spread over all ids, because neighbours are similar. */
const samples = 16
/** Pulls the mean of few vectors towards zero, because they say little about later ones. */
const meanDamping = 20
/** The mean of this many vectors is final. */
const meanSettled = 2_000

/**
 * All vectors of one model, in memory. Every search first applies the changes recorded in the database, so
 * that writes of other processes are included.
 */
export class VectorIndex {
  readonly model: string
  #rows = new VectorRows(new Float32Array(0))
  #seen = -1
  #meanCount = 0
  #syncing: Promise<void> | undefined
  #lastUse = 0
  #watched = false

  constructor(model: string) {
    this.model = model
  }

  /** The mean of the vectors, from which nearness is measured. */
  get mean(): Float32Array {
    return this.#rows.mean
  }

  get size(): number {
    return this.#rows.size
  }

  /** Size in bytes. */
  get bytes(): number {
    return this.#rows.bytes
  }

  /** Applies the changes in the database. The first call reads all vectors and yields in between. */
  sync(host: Needs): Promise<void> {
    this.#lastUse = host.clock.now()
    if (!this.#watched) void this.#watch(host)
    this.#syncing ??= this.#applyChanges(host).finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  nearest(direction: Float32Array, filter: IndexFilter, count: number): number[] {
    return this.#rows.nearest(direction, filter, count)
  }

  /** The cosines of the vectors in memory. */
  measure(ids: readonly number[], direction: Float32Array): Measured {
    return this.#rows.measure(ids, direction)
  }

  keep(vector: StoredVector): void {
    this.#rows.keep(vector)
  }

  /** The vector ids of these episodes. */
  idsOf(episodes: readonly number[]): number[] {
    const ids: number[] = []
    for (const episode of episodes) ids.push(...this.#rows.idsOf(episode))
    return ids
  }

  /** Frees most of the memory after a time without searches. */
  async #watch({ clock }: Needs): Promise<void> {
    this.#watched = true
    for (let left: number = idle; left > 0; left = this.#lastUse + idle - clock.now())
      await clock.after(Math.min(left, idle))
    this.#watched = false
    this.#rows.freeBytes()
  }

  async #applyChanges(host: Needs): Promise<void> {
    const range = await changeRange(host)
    if (this.#seen < 0 || range.first > this.#seen + 1) return this.#build(host)
    while (this.#seen < range.last) {
      const changes = await changesAfter(host, this.#seen, chunk)
      if (changes.length === 0) return
      // Episode 0 means all episodes.
      if (changes.some(({ episode }) => episode === 0)) return this.#build(host)
      const episodes = [...new Set(changes.map(({ episode }) => episode))]
      const vectors = await indexedOf(host, this.model, episodes)
      for (const episode of episodes) this.#rows.drop(episode)
      for (const vector of vectors) this.#add(vector)
      this.#seen = changes.at(-1)?.seq ?? this.#seen
      if (changes.length === chunk) await host.clock.after(0)
    }
    if (this.#meanCount < meanSettled && this.size > this.#meanCount * 2) await this.#build(host)
  }

  #add(vector: IndexedVector): void {
    const dimensions = toVector(vector.vector).length
    if (this.mean.length === 0) this.#rows = new VectorRows(new Float32Array(dimensions))
    this.#rows.add(vector)
  }

  /** Searches use the old rows until the new ones are complete. */
  async #build(host: Needs): Promise<void> {
    const { last } = await changeRange(host)
    const { mean, count } = await this.#measureMean(host)
    const rows = new VectorRows(mean)
    for (let after = -1, read = chunk; read === chunk; ) {
      const vectors = await indexedAfter(host, { model: this.model, after, limit: chunk })
      for (const vector of vectors) rows.add(vector)
      after = vectors.at(-1)?.id ?? after
      read = vectors.length
      if (read === chunk) await host.clock.after(0)
    }
    this.#rows = rows
    this.#meanCount = count
    this.#seen = last
  }

  async #measureMean(host: Needs): Promise<{ mean: Float32Array; count: number }> {
    const end = await lastVector(host)
    const sum: number[] = []
    let count = 0
    let after = -1
    for (let sample = 0; sample < samples; sample += 1) {
      after = Math.max(after, Math.floor((end * sample) / samples) - 1)
      for (const row of await indexedAfter(host, { model: this.model, after, limit: chunk })) {
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
