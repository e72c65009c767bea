/** Cosine of the angle between two vectors; 0 when one of them is nothing. */
export function cosine(left: Float32Array, right: Float32Array): number {
  let dot = 0
  let one = 0
  let two = 0
  for (let index = 0; index < left.length; index += 1) {
    const a = left[index] as number
    const b = right[index] as number
    dot += a * b
    one += a * a
    two += b * b
  }
  return one === 0 || two === 0 ? 0 : dot / Math.sqrt(one * two)
}

/** Cosine of a direction and `vector − mean`. */
export function cosineFrom(mean: Float32Array, direction: Float32Array, vector: Float32Array): number {
  let dot = 0
  let one = 0
  let two = 0
  for (let index = 0; index < direction.length; index += 1) {
    const a = direction[index] as number
    const b = (vector[index] as number) - (mean[index] as number)
    dot += a * b
    one += a * a
    two += b * b
  }
  return one === 0 || two === 0 ? 0 : dot / Math.sqrt(one * two)
}

export function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors)
    for (let index = 0; index < mean.length; index += 1)
      mean[index] = (mean[index] as number) + (vector[index] as number) / vectors.length
  return mean
}

/** The same direction with length 1. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}
