import { monotonicFactory } from 'ulid'

const next = monotonicFactory()

/**
 * `<prefix>_` and a ULID in lower case: ids sort by creation, and need no coordination.
 * @param now milliseconds since the epoch, from the clock port
 */
export function newId(prefix: string, now: number): string {
  return `${prefix}_${next(now).toLowerCase()}`
}
