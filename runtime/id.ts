import { monotonicFactory } from 'ulid'

/** Shared by all hosts of a process: their ids must differ, and nothing else depends on what was drawn before. */
const pool = new Uint8Array(4_096)
let used = pool.length

/** A random number in [0, 1). Bytes are drawn in blocks, because one call per byte costs as much as one per block. */
function fraction(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const byte = pool[used] ?? 0
  used += 1
  return byte / 256
}

const next = monotonicFactory(fraction)

/**
 * `<prefix>_` and a ULID in lower case. Ids sort by creation time and need no coordination.
 * @param now milliseconds since the epoch, from the clock port
 */
export function newId(prefix: string, now: number): string {
  return `${prefix}_${next(now).toLowerCase()}`
}
