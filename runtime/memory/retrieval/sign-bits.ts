/** Bits set in a 32-bit word. */
function ones(word: number): number {
  let value = word - ((word >>> 1) & 0x55555555)
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333)
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export const wordsFor = (dimensions: number): number => Math.ceil(dimensions / 32)

/** Writes the signs of `vector − mean` as bits from `offset` on. */
export function writeBits(
  bits: Uint32Array,
  offset: number,
  { vector, mean }: { vector: Float32Array; mean: Float32Array },
): void {
  bits.fill(0, offset, offset + wordsFor(vector.length))
  for (let index = 0; index < vector.length; index += 1) {
    if ((vector[index] as number) <= (mean[index] as number)) continue
    const word = offset + (index >>> 5)
    bits[word] = (bits[word] as number) | (1 << (index & 31))
  }
}

export interface Scan {
  bits: Uint32Array
  /** Rows of `bits`, each as long as `query`. */
  rows: number
  query: Uint32Array
  /** Whether a row counts. */
  passes(row: number): boolean
}

/** The `most` rows that pass and differ in the fewest bits, in no order; a few more where the last ones are equal. */
export function nearestRows({ bits, rows, query, passes }: Scan, most: number): number[] {
  const width = query.length
  const distances = new Uint16Array(rows)
  const counts = new Uint32Array(width * 32 + 1)
  for (let row = 0, offset = 0; row < rows; row += 1, offset += width) {
    if (!passes(row)) {
      distances[row] = 0xffff
      continue
    }
    let distance = 0
    for (let word = 0; word < width; word += 1)
      distance += ones((bits[offset + word] as number) ^ (query[word] as number))
    distances[row] = distance
    counts[distance] = (counts[distance] as number) + 1
  }
  const limit = farthest(counts, most)
  const found: number[] = []
  for (let row = 0; row < rows; row += 1) if ((distances[row] as number) <= limit) found.push(row)
  return found
}

/** The distance within which the `most` nearest lie. */
function farthest(counts: Uint32Array, most: number): number {
  let seen = 0
  for (let distance = 0; distance < counts.length; distance += 1) {
    seen += counts[distance] as number
    if (seen >= most) return distance
  }
  return counts.length - 1
}
