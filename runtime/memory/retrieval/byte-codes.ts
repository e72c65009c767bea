/** Rows of one block: memory grows by two megabytes at a time at 512 dimensions, and nothing is copied. */
const blockRows = 4_096
/** Bytes at most: 131,072 vectors of 512 dimensions. What is beyond is measured from the database. */
export const mostCodeBytes = 64 * 2 ** 20

interface Block {
  values: Int8Array
  /** Length of each row of `values`; 0 where there is none. */
  lengths: Float32Array
}

/**
 * Vectors less their mean with one byte per dimension, by row: enough to measure a cosine to about 0.001, without a
 * read of the database, whose driver takes longer to hand over a vector than it takes to measure ten. Rows may be
 * missing; the database is the truth.
 */
export class ByteCodes {
  readonly #mean: Float32Array
  #blocks: (Block | undefined)[] = []

  constructor(mean: Float32Array) {
    this.#mean = mean
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#blocks.filter((block) => block !== undefined).length * blockRows * (this.#width + 4)
  }

  get #width(): number {
    return this.#mean.length
  }

  has(row: number): boolean {
    return (this.#blocks[Math.floor(row / blockRows)]?.lengths[row % blockRows] ?? 0) > 0
  }

  /** Keeps a vector, where there is room. */
  write(row: number, vector: Float32Array): void {
    if ((row + 1) * this.#width > mostCodeBytes) return
    const { values, lengths } = this.#blockOf(row)
    const mean = this.#mean
    const offset = (row % blockRows) * mean.length
    let most = 0
    for (let index = 0; index < mean.length; index += 1)
      most = Math.max(most, Math.abs((vector[index] as number) - (mean[index] as number)))
    const scale = most === 0 ? 0 : 127 / most
    let squares = 0
    for (let index = 0; index < mean.length; index += 1) {
      const value = rounded(((vector[index] as number) - (mean[index] as number)) * scale)
      values[offset + index] = value
      squares += value * value
    }
    lengths[row % blockRows] = Math.sqrt(squares)
  }

  /** The row `to` is what the row `from` was, which is missing from now on. */
  move(from: number, to: number): void {
    const source = this.#blocks[Math.floor(from / blockRows)]
    const length = source?.lengths[from % blockRows] ?? 0
    if (source && length > 0 && from !== to) {
      const target = this.#blockOf(to)
      const start = (from % blockRows) * this.#width
      const row = source.values.subarray(start, start + this.#width)
      target.values.set(row, (to % blockRows) * this.#width)
      target.lengths[to % blockRows] = length
    } else this.#forget(to)
    this.#forget(from)
  }

  /** Cosine of `direction`, whose length is given, and the vector of a row less the mean; null where it is missing. */
  cosine(row: number, direction: Float64Array, length: number): number | null {
    const block = this.#blocks[Math.floor(row / blockRows)]
    const own = block?.lengths[row % blockRows] ?? 0
    if (!block || own === 0) return null
    const { values } = block
    const offset = (row % blockRows) * direction.length
    let dot = 0
    for (let index = 0; index < direction.length; index += 1)
      dot += (direction[index] as number) * (values[offset + index] as number)
    return length === 0 ? 0 : dot / (own * length)
  }

  #forget(row: number): void {
    const block = this.#blocks[Math.floor(row / blockRows)]
    if (block) block.lengths[row % blockRows] = 0
  }

  #blockOf(row: number): Block {
    const place = Math.floor(row / blockRows)
    const known = this.#blocks[place]
    if (known) return known
    const rows = blockRows * this.#width
    const block = { values: new Int8Array(rows), lengths: new Float32Array(blockRows) }
    this.#blocks[place] = block
    return block
  }
}

/** Several times as fast as `Math.round`, which minds what is not between −128 and 127 too. */
const rounded = (value: number): number => (value < 0 ? value - 0.5 : value + 0.5) | 0
