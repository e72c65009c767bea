/** Vectors one after the other, all of the same length. */
export interface VectorTable {
  values: Float32Array
  dimensions: number
}

export interface ProjectCall {
  table: VectorTable
  /** How many clusters to look for; there are fewer where there are fewer points. */
  clusters: number
  /** The same vectors and seed give the same picture. */
  seed: number
  signal: AbortSignal
}

export interface Projection {
  /** x and y of each vector in turn, each −1 to 1. */
  positions: Float32Array
  /** The cluster of each vector, from 0. */
  clusters: Uint8Array
}

/** It is not installed, was cut short, or took too long. The message is safe to show. */
export class VisualizationError extends Error {
  override name = 'VisualizationError'
}

/** Draws many dimensions in two and finds what lies together, beside the event loop. Its libraries come with a pack. */
export interface Visualization {
  available(): Promise<boolean>
  /** Throws `VisualizationError`, or the reason of the signal. */
  project(call: ProjectCall): Promise<Projection>
}
