/** The memory of an instance at one moment. */
export interface Snapshot {
  /** Puts the memory back. What lies behind it is free then, and the allocator clears what it must, whatever it holds. */
  restore(): void
  /** Zeros everything that it has no copy of, so that a later snapshot copies no more than is in use. */
  clear(): void
}

/**
 * Copies what is in use: up to the last byte that is not zero, without the unused part of the stack. That is one stretch of zeros
 * of almost 5 MB, longer than any that a context has, and nobody reads what a call leaves there.
 */
export function snapshot(memory: WebAssembly.Memory): Snapshot {
  const now = new Uint8Array(memory.buffer)
  const end = lengthOf(now)
  const gap = longestGap(now, end)
  const pieces =
    gap.to - gap.from < minGap
      ? [[0, end]]
      : [
          [0, gap.from],
          [gap.to, end],
        ]
  const copies = pieces.map(([from = 0, to = 0]) => ({ from, bytes: now.slice(from, to) }))
  return {
    restore() {
      // The buffer is another one after the memory has grown.
      const later = new Uint8Array(memory.buffer)
      for (const { from, bytes } of copies) later.set(bytes, from)
    },
    clear() {
      const later = new Uint8Array(memory.buffer)
      let from = 0
      for (const copy of copies) {
        later.fill(0, from, copy.from)
        from = copy.from + copy.bytes.length
      }
      later.fill(0, from)
    },
  }
}

const minGap = 4 * 1024 * 1024

const pageBytes = 4_096

function isZero({ buffer }: Uint8Array, page: number): boolean {
  for (const word of new Uint32Array(buffer, page * pageBytes, pageBytes / 4)) if (word !== 0) return false
  return true
}

/** Where the memory in use ends, in whole pages. */
function lengthOf(bytes: Uint8Array): number {
  let pages = bytes.length / pageBytes
  while (pages > 0 && isZero(bytes, pages - 1)) pages -= 1
  return pages * pageBytes
}

/** The longest stretch of pages with zeros before `end`. */
function longestGap(bytes: Uint8Array, end: number): { from: number; to: number } {
  const pages = end / pageBytes
  let longest = { from: 0, to: 0 }
  let from = 0
  for (let page = 0; page < pages; page += 1) {
    if (!isZero(bytes, page)) from = page + 1
    else if (page + 1 - from > longest.to - longest.from) longest = { from, to: page + 1 }
  }
  return { from: longest.from * pageBytes, to: longest.to * pageBytes }
}
