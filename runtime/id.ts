import { monotonicFactory } from 'ulid'

const pool = new Uint8Array(4_096)
let used = pool.length

/** 0 or more and less than 1. Random bytes are drawn by the page: a page costs little more than one byte. */
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
 * `<prefix>_` and a ULID in lower case: ids sort by creation, and need no coordination.
 * @param now milliseconds since the epoch, from the clock port
 */
export function newId(prefix: string, now: number): string {
  return `${prefix}_${next(now).toLowerCase()}`
}
