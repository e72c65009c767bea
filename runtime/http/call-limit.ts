import { LRUCache } from 'lru-cache'
import { rateLimited } from '../fault.ts'
import type { Host } from '../host.ts'
import { processState } from '../process-state.ts'
import { minute, second } from '../time.ts'

/** Limits the calls per minute for each key, such as the address of a webhook. Throws a 429. */
export function callLimit(standard: number) {
  const calls = processState(() => new LRUCache<string, { since: number; count: number }>({ max: 10_000 }))
  return (host: Pick<Host, 'process' | 'clock'>, key: string, max = standard): void => {
    const now = host.clock.now()
    const window = calls(host).get(key)
    const current = window && now >= window.since && now < window.since + minute ? window : { since: now, count: 0 }
    if (current.count >= max)
      throw rateLimited(
        (current.since + minute - now) / second,
        `This webhook accepts at most ${max} calls per minute; try again later`,
      )
    calls(host).set(key, { ...current, count: current.count + 1 })
  }
}
