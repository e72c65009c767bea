import type { Clock } from '../../runtime/ports/clock.ts'

/** Milliseconds. */
export interface Patience {
  clock: Clock
  first_chunk_ms: number
  idle_ms: number
}

export interface Silence {
  /** We wait for the vendor from now on, unless we already do. */
  listen(): void
  /** The vendor sent something. */
  heard(): void
}

/** One wait at a time, renewed when it ends: a stream of 5,000 chunks a second costs no timers. */
export function watchSilence(
  { clock, first_chunk_ms, idle_ms }: Patience,
  signal: AbortSignal,
  onSilence: () => void,
): Silence {
  let limit = first_chunk_ms
  let since: number | undefined
  const watch = async () => {
    for (let left = limit; left > 0; left = remaining()) await clock.after(left, signal)
    onSilence()
  }
  // The wall clock may jump: never wait longer than the limit.
  const remaining = () => (since === undefined ? limit : Math.min(limit, since + limit - clock.now()))
  watch().catch(() => {
    // The line was closed.
  })

  return {
    listen() {
      since ??= clock.now()
    },
    heard() {
      since = undefined
      limit = idle_ms
    },
  }
}
