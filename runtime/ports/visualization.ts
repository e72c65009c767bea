/** Vectors of the same length in one array. */
export interface VectorTable {
  values: Float32Array
  dimensions: number
}

export interface ProjectCall {
  table: VectorTable
  /** Number of clusters. There are fewer if there are fewer points. */
  clusters: number
  /** The same vectors and seed give the same projection. */
  seed: number
  signal: AbortSignal
}

export interface Projection {
  /** x and y of each vector, each −1 to 1. */
  positions: Float32Array
  /** The cluster of each vector, from 0. */
  clusters: Uint8Array
}

/**
 * The libraries are not installed, or the projection was interrupted or took too long. The message is safe to
 * show.
 */
export class VisualizationError extends Error {
  override name = 'VisualizationError'
}

/**
 * Projects vectors to two dimensions and clusters them, outside the event loop. Its libraries come with a
 * feature pack.
 */
export interface Visualization {
  available(): Promise<boolean>
  /** Throws `VisualizationError`, or the reason of the signal. */
  project(call: ProjectCall): Promise<Projection>
}
