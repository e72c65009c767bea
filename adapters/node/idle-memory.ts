import type { Clock } from '../../runtime/ports/clock.ts'

/** Milliseconds between two looks. */
const every = 20_000
/** Share of a core below which the daemon counts as idle. */
const idleShare = 0.15
/** Bytes of new memory that are worth a collection. */
const worthwhile = 6 * 1024 * 1024

/**
 * Returns what earlier requests have left to the system while the daemon is idle, until `stopping`. V8 collects when
 * memory is allocated: after a busy hour an idle process would keep its garbage, some 25 MB, until the next one. A
 * collection takes 30 to 60 ms and runs after two quiet looks only.
 */
export async function collectWhenIdle(clock: Clock, stopping: AbortSignal): Promise<void> {
  const { gc } = globalThis
  let [collected, quiet] = [0, 0]
  let before = process.cpuUsage()
  while (gc && !stopping.aborted) {
    await clock.after(every, stopping).catch(() => undefined)
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    quiet = (user + system) / 1_000 < idleShare * every ? quiet + 1 : 0
    if (quiet < 2 || stopping.aborted || process.memoryUsage.rss() - collected < worthwhile) continue
    await gc({ type: 'major', execution: 'async' })
    collected = process.memoryUsage.rss()
  }
}
