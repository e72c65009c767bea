/** The newest `capacity` items. Positions count from the first item ever pushed and never start again. */
export interface Ring<Item> {
  readonly size: number
  /** Position that the next item will have. */
  readonly end: number
  /** Adds an item and answers the one that had to leave. */
  push(item: Item): Item | undefined
  at(position: number): Item | undefined
  /** A copy, oldest first. */
  all(): Item[]
  clear(): void
}

/** Grows as items come, so an idle topic costs nothing; pushing never moves an item. */
export function createRing<Item>(capacity: number): Ring<Item> {
  let items: Item[] = []
  let start = 0
  let end = 0

  return {
    get size() {
      return items.length
    },
    get end() {
      return end
    },
    push(item) {
      end += 1
      if (items.length < capacity) {
        items.push(item)
        return undefined
      }
      const evicted = items[start]
      items[start] = item
      start = (start + 1) % capacity
      return evicted
    },
    at(position) {
      const offset = position - (end - items.length)
      return offset < 0 ? undefined : items[(start + offset) % items.length]
    },
    all: () => [...items.slice(start), ...items.slice(0, start)],
    clear() {
      items = []
      start = 0
    },
  }
}
