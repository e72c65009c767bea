import { sumOf } from '../../runtime/numbers.ts'
import { errorMessage } from '../../runtime/thrown.ts'
import '../process/end-with-parent.ts'

export interface ProjectionJob {
  values: Float32Array
  dimensions: number
  clusters: number
  seed: number
  /** URLs of the modules. */
  libraries: { projection: string; clustering: string }
}

interface ProjectionResult {
  positions: Float32Array
  clusters: Uint8Array
}

/** Message from the process. */
export type ProjectionAnswer = ProjectionResult | { error: string }

interface Umap {
  UMAP: new (options: {
    nNeighbors: number
    nComponents: number
    minDist: number
    random: () => number
  }) => { fit(rows: number[][]): number[][] }
}

interface KMeans {
  kmeans(rows: number[][], count: number, options: { seed: number; maxIterations: number }): { clusters: number[] }
}

/** Rows that UMAP projects, which takes 3 to 12 s. The others are placed between their nearest neighbours. */
const maxProjected = 1_500
/** Neighbours per point: the library's default. */
const neighbours = 15

/** A seeded generator of numbers in [0, 1): mulberry32 by Tommy Ettinger, public domain. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

async function project(job: ProjectionJob): Promise<ProjectionResult> {
  const rows = rowsOf(job.values, job.dimensions)
  const projected = sample(rows, maxProjected)
  const [clusters, places] = [await cluster(job, rows, projected), await umap(job, projected)]
  const clusterOf = new Map(rows.map((row, index) => [row, clusters[index]]))
  const positions = new Float32Array(rows.length * 2)
  const byRow = new Map(projected.map((row, index) => [row, places[index] ?? [0, 0]]))
  const groups = Map.groupBy(projected, (row) => clusterOf.get(row))
  for (const [index, row] of rows.entries()) {
    const others = groups.get(clusters[index]) ?? projected
    const near = () => nearest(row, others, 3).map((at) => byRow.get(others[at] ?? row) ?? [0, 0])
    positions.set(byRow.get(row) ?? between(near()), index * 2)
  }
  return { positions: fitted(positions), clusters }
}

/** At most `max` rows, evenly sampled. */
function sample(rows: number[][], max: number): number[][] {
  if (rows.length <= max) return rows
  const step = rows.length / max
  return Array.from({ length: max }, (_, index) => rows[Math.floor(index * step)] as number[])
}

async function cluster({ libraries, clusters, seed }: ProjectionJob, rows: number[][], projected: number[][]) {
  const { kmeans } = (await import(libraries.clustering)) as KMeans
  const count = Math.min(clusters, projected.length)
  const clusterOfRow = kmeans(projected, count, { seed, maxIterations: 100 }).clusters
  const centers = centroids(projected, clusterOfRow, count)
  return Uint8Array.from(rows, (row) => nearest(row, centers, 1)[0] ?? 0)
}

async function umap({ libraries, seed }: ProjectionJob, rows: number[][]): Promise<number[][]> {
  const { UMAP } = (await import(libraries.projection)) as Umap
  const nNeighbors = Math.min(neighbours, rows.length - 1)
  return new UMAP({ nNeighbors, nComponents: 2, minDist: 0.1, random: generator(seed) }).fit(rows)
}

const between = (places: number[][]): number[] =>
  [0, 1].map((axis) => sumOf(places, (place) => place[axis] ?? 0) / (places.length || 1))

/** Scales both axes by the same factor to −1 to 1, so that distances stay proportional. */
function fitted(positions: Float32Array): Float32Array {
  const low = [Infinity, Infinity]
  const high = [-Infinity, -Infinity]
  for (const [index, value] of positions.entries()) {
    low[index % 2] = Math.min(low[index % 2] as number, value)
    high[index % 2] = Math.max(high[index % 2] as number, value)
  }
  const middle = [0, 1].map((axis) => ((low[axis] as number) + (high[axis] as number)) / 2)
  const half = Math.max(...[0, 1].map((axis) => (high[axis] as number) - (low[axis] as number))) / 2 || 1
  return positions.map((value, index) => (value - (middle[index % 2] as number)) / half)
}

/** Converts a table to rows of numbers, as the libraries expect them. */
function rowsOf(values: Float32Array, dimensions: number): number[][] {
  const count = values.length / dimensions
  return Array.from({ length: count }, (_, row) => [...values.subarray(row * dimensions, (row + 1) * dimensions)])
}

/** The indexes of the `count` rows nearest to `row`, nearest first. */
function nearest(row: readonly number[], rows: readonly number[][], count: number): number[] {
  const best: { index: number; distance: number }[] = []
  for (const [index, other] of rows.entries()) {
    const distance = squaredDistance(row, other, best[count - 1]?.distance ?? Infinity)
    if (distance >= (best[count - 1]?.distance ?? Infinity)) continue
    best.push({ index, distance })
    best.sort((left, right) => left.distance - right.distance)
    best.length = Math.min(best.length, count)
  }
  return best.map(({ index }) => index)
}

/** Stops as soon as the distance exceeds `limit`. */
function squaredDistance(left: readonly number[], right: readonly number[], limit: number): number {
  let sum = 0
  for (let place = 0; place < left.length && sum < limit; place += 1) {
    const difference = (left[place] as number) - (right[place] as number)
    sum += difference * difference
  }
  return sum
}

/** The mean of each cluster that has members. */
function centroids(rows: readonly number[][], clusters: readonly number[], count: number): number[][] {
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

async function answer(job: ProjectionJob): Promise<ProjectionAnswer> {
  try {
    return await project(job)
  } catch (thrown) {
    return { error: errorMessage(thrown) }
  }
}

process.once('message', async (job: ProjectionJob) => process.send?.(await answer(job)))
