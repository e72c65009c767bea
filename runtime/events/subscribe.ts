import type { Host } from '../host.ts'
import type { FrameListener } from '../ports/bus.ts'
import { StoreUnavailable } from '../ports/sql.ts'
import { firstOf } from '../within.ts'
import { eventsTopic } from './event.ts'

/** Calls the listener with each event until the signal aborts. */
export function onEvents({ bus }: Pick<Host, 'bus'>, signal: AbortSignal, listener: FrameListener): void {
  const subscription = bus.subscribe(eventsTopic, listener)
  signal.addEventListener('abort', () => subscription.close(), { once: true })
}

/** Resolves at the next event that matches, at the latest after so many milliseconds or when the signal aborts. */
type NextEvent = (milliseconds: number, signal: AbortSignal) => Promise<void>

/**
 * Runs something that reads the store until it has changed. It is subscribed before the first read, so that no event comes
 * between a read and the wait for the next one unnoticed.
 */
export async function whileSubscribed<Result>(
  { bus, clock }: Pick<Host, 'bus' | 'clock'>,
  matches: (type: string, data: Record<string, unknown>) => boolean,
  run: (next: NextEvent) => Promise<Result>,
): Promise<Result> {
  let changed = Promise.withResolvers<void>()
  const subscription = bus.subscribe(eventsTopic, ({ type, data }) => {
    if (matches(type, data as Record<string, unknown>)) changed.resolve()
  })
  try {
    return await run(async (milliseconds, signal) => {
      await firstOf(clock, changed.promise, { milliseconds, signal })
      changed = Promise.withResolvers()
    })
  } finally {
    subscription.close()
  }
}

/** For a read that is repeated soon: undefined if the store cannot be read now. */
export function ifUnreachable(thrown: unknown): undefined {
  if (!(thrown instanceof StoreUnavailable)) throw thrown
}
