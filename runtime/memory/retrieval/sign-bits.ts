/** Words of a row come in fours, because the scan adds up four at a time. */
const together = 4

/** Bits set in a 32-bit word. */
function ones(word: number): number {
  let value = word - ((word >>> 1) & 0x55555555)
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333)
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export const wordsFor = (dimensions: number): number => Math.ceil(dimensions / 32 / together) * together

/** Writes the signs of `vector − mean` as bits from `offset` on. */
export function writeBits(
  bits: Int32Array,
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
  bits: Int32Array
  /** Rows of `bits`, each as long as `query`. */
  rows: number
  query: Int32Array
  /** Whether a row counts; without it all do. */
  passes?: ((row: number) => boolean) | undefined
}

/** Farther than any row is. */
const never = 0xffff

/** The `most` rows that pass and differ in the fewest bits, in no order; a few more where the last ones are equal. */
export function nearestRows({ bits, rows, query, passes }: Scan, most: number): number[] {
  const distances = new Uint16Array(rows)
  const counts = new Uint32Array(query.length * 32 + 1)
  for (let row = 0, offset = 0; row < rows; row += 1, offset += query.length) {
    if (passes && !passes(row)) {
      distances[row] = never
      continue
    }
    const distance = differing(bits, offset, query)
    distances[row] = distance
    counts[distance] = (counts[distance] as number) + 1
  }
  const limit = farthest(counts, most)
  const found: number[] = []
  for (let row = 0; row < rows; row += 1) if ((distances[row] as number) <= limit) found.push(row)
  return found
}

/**
 * Bits in which a row and the query differ. Counting the bits of a word is the dear part, so words are first added to
 * one another bit by bit (Harley and Seal's carry-save adder): `one`, `two` and `four` hold the places of the sums, and
 * only the fours of every four words are counted.
 */
function differing(bits: Int32Array, offset: number, query: Int32Array): number {
  let one = 0
  let two = 0
  let fours = 0
  for (let word = 0; word < query.length; word += together) {
    const at = offset + word
    const first = (bits[at] as number) ^ (query[word] as number)
    const second = (bits[at + 1] as number) ^ (query[word + 1] as number)
    const third = (bits[at + 2] as number) ^ (query[word + 2] as number)
    const fourth = (bits[at + 3] as number) ^ (query[word + 3] as number)
    let half = one ^ first
    const carry = (one & first) | (half & second)
    one = half ^ second
    half = one ^ third
    const carryToo = (one & third) | (half & fourth)
    one = half ^ fourth
    half = two ^ carry
    fours += ones((two & carry) | (half & carryToo))
    two = half ^ carryToo
  }
  return 4 * fours + 2 * ones(two) + ones(one)
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
