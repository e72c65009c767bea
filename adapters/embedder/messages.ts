/** To the thread. */
export interface Question {
  id: number
  texts: string[]
}

/** From the thread: the vectors one after the other in one array, or why there are none. */
export type Answer = { id: number; vectors: Float32Array } | { id: number; error: string }
