export const sumOf = <Item>(items: Iterable<Item>, of: (item: Item) => number = Number): number => {
  let sum = 0
  for (const item of items) sum += of(item)
  return sum
}

export const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

/** By the nearest-rank method; null without values. */
export const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
