import type { Clock } from '../../runtime/ports/clock.ts'

/** Milliseconds between two looks. */
const every = 20_000
/** Share of a core below which the daemon counts as idle. */
const idleShare = 0.15
/** Milliseconds of CPU time that leave enough garbage for a collection. */
const worthwhile = 1_000

/** Milliseconds of CPU time that this process has used. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * Returns what earlier requests have left to the system while the daemon is idle, until `stopping`. V8 collects when
 * memory is allocated: after a busy hour an idle process would keep its garbage, some 25 MB, until the next one. Only the
 * collection of the last resort also returns the pages that V8 keeps for later, another 40 MB. It takes about 100 ms and
 * runs after two quiet looks only.
 */
export async function collectWhenIdle(clock: Clock, stopping: AbortSignal): Promise<void> {
  const { gc } = globalThis
  let [seen, collected, quiet] = [cpuTime(), cpuTime(), 0]
  while (gc && !stopping.aborted) {
    await clock.after(every, stopping).catch(() => undefined)
    const now = cpuTime()
    quiet = now - seen < idleShare * every ? quiet + 1 : 0
    seen = now
    if (quiet < 2 || now - collected < worthwhile || stopping.aborted) continue
    await gc({ type: 'major', execution: 'async', flavor: 'last-resort' })
    collected = cpuTime()
  }
}
