import { parentPort, workerData } from 'node:worker_threads'
import { centroids, nearest, rowsOf } from './vectors.ts'

export interface ProjectionJob {
  values: Float32Array
  dimensions: number
  clusters: number
  seed: number
  /** Addresses of the modules. */
  libraries: { projection: string; clustering: string }
}

export interface ProjectionResult {
  positions: Float32Array
  clusters: Uint8Array
}

interface Umap {
  UMAP: new (options: {
    nNeighbors: number
    nComponents: number
    minDist: number
    random: () => number
  }) => { fit(rows: number[][]): number[][] }
}

interface KMeans {
  kmeans(
    rows: number[][],
    count: number,
    options: { seed: number; maxIterations: number },
  ): { clusters: number[] }
}

/** Rows that the projection itself sees: its time grows with them, and a picture of that many is full. */
const mostDrawn = 1_500
/** Neighbours that make up the surroundings of a point; the library's own default. */
const neighbours = 15

/**
 * Uniform numbers from 0 below 1, the same for the same seed: mulberry32, by Tommy Ettinger, in the public domain.
 */
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
  const drawn = evenly(rows, mostDrawn)
  const [clusters, places] = [await cluster(job, rows, drawn), await draw(job, drawn)]
  const clusterOf = new Map(rows.map((row, index) => [row, clusters[index]]))
  const positions = new Float32Array(rows.length * 2)
  const known = new Map(drawn.map((row, index) => [row, places[index] ?? [0, 0]]))
  const groups = Map.groupBy(drawn, (row) => clusterOf.get(row))
  for (const [index, row] of rows.entries()) {
    const others = groups.get(clusters[index]) ?? drawn
    const near = () => nearest(row, others, 3).map((at) => known.get(others[at] ?? row) ?? [0, 0])
    positions.set(known.get(row) ?? between(near()), index * 2)
  }
  return { positions: fitted(positions), clusters }
}

/** At most `most` rows, spread over the whole list. */
function evenly(rows: number[][], most: number): number[][] {
  if (rows.length <= most) return rows
  const step = rows.length / most
  return Array.from({ length: most }, (_, index) => rows[Math.floor(index * step)] as number[])
}

async function cluster({ libraries, clusters, seed }: ProjectionJob, rows: number[][], drawn: number[][]) {
  const { kmeans } = (await import(libraries.clustering)) as KMeans
  const count = Math.min(clusters, drawn.length)
  const found = kmeans(drawn, count, { seed, maxIterations: 100 }).clusters
  const middles = centroids(drawn, found, count)
  return Uint8Array.from(rows, (row) => nearest(row, middles, 1)[0] ?? 0)
}

async function draw({ libraries, seed }: ProjectionJob, rows: number[][]): Promise<number[][]> {
  const { UMAP } = (await import(libraries.projection)) as Umap
  const nNeighbors = Math.min(neighbours, rows.length - 1)
  return new UMAP({ nNeighbors, nComponents: 2, minDist: 0.1, random: generator(seed) }).fit(rows)
}

const between = (places: number[][]): number[] =>
  [0, 1].map((axis) => places.reduce((sum, place) => sum + (place[axis] ?? 0), 0) / (places.length || 1))

/** Both axes from −1 to 1 by one scale, so that distances keep their meaning. */
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

const result = await project(workerData as ProjectionJob)
parentPort?.postMessage(result)
