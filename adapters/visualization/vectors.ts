/** Rows of plain numbers, as the libraries take them. */
export function rowsOf(values: Float32Array, dimensions: number): number[][] {
  const count = values.length / dimensions
  return Array.from({ length: count }, (_, row) => [
    ...values.subarray(row * dimensions, (row + 1) * dimensions),
  ])
}

/** Indexes of the rows that are nearest to `row`, the nearest first. */
export function nearest(row: readonly number[], rows: readonly number[][], most: number): number[] {
  const best: { index: number; distance: number }[] = []
  for (const [index, other] of rows.entries()) {
    const distance = squaredDistance(row, other, best[most - 1]?.distance ?? Infinity)
    if (distance >= (best[most - 1]?.distance ?? Infinity)) continue
    best.push({ index, distance })
    best.sort((left, right) => left.distance - right.distance)
    best.length = Math.min(best.length, most)
  }
  return best.map(({ index }) => index)
}

/** Gives up once it is past `limit`. */
function squaredDistance(left: readonly number[], right: readonly number[], limit: number): number {
  let sum = 0
  for (let place = 0; place < left.length && sum < limit; place += 1) {
    const difference = (left[place] as number) - (right[place] as number)
    sum += difference * difference
  }
  return sum
}

/** The middle of each cluster that has a member. */
export function centroids(rows: readonly number[][], clusters: readonly number[], count: number): number[][] {
  const dimensions = rows[0]?.length ?? 0
  const sums = Array.from({ length: count }, () => ({ size: 0, sum: Array<number>(dimensions).fill(0) }))
  for (const [index, row] of rows.entries()) {
    const own = sums[clusters[index] ?? 0]
    if (!own) continue
    own.size += 1
    for (const [place, value] of row.entries()) own.sum[place] = (own.sum[place] ?? 0) + value
  }
  return sums.filter(({ size }) => size > 0).map(({ size, sum }) => sum.map((value) => value / size))
}
