import { statfs } from 'node:fs/promises'
import { availableParallelism, cpus, freemem, loadavg, totalmem } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { clamp } from '../../runtime/numbers.ts'
import type { Machine } from '../../runtime/ports/machine.ts'

/** This machine, with the disk that holds `data_dir`. */
export function createMachine(data_dir: string): Machine {
  const busy = cpuMeter()
  return {
    async disk() {
      const { bavail, blocks, bsize } = await statfs(data_dir)
      return { free_bytes: bavail * bsize, total_bytes: blocks * bsize }
    },
    residentBytes: () => process.memoryUsage.rss(),
    async load() {
      const [one = 0, five = 0, fifteen = 0] = loadavg()
      return {
        cpu_pct: busy(),
        load: [one, five, fifteen],
        memory: { free_bytes: process.availableMemory?.() ?? freemem(), total_bytes: totalmem() },
        event_loop_lag_ms: await eventLoopLag(),
      }
    },
  }
}

/** Minimum interval between readings, in milliseconds; earlier calls get the previous figure. */
const minInterval = 900

/** Returns a function that returns the CPU usage since its previous call, in percent. */
function cpuMeter(): () => number {
  let before: { at: number; idle: number; total: number } | null = null
  let percent = 0
  return () => {
    const at = performance.now()
    if (before !== null && at - before.at < minInterval) return percent
    const { idle, total } = cpuTimes()
    // The first reading covers the time since this process started.
    if (before === null) percent = sinceStart()
    else if (total > before.total) percent = rounded(1 - (idle - before.idle) / (total - before.total))
    before = { at, idle, total }
    return percent
  }
}

function cpuTimes(): { idle: number; total: number } {
  let idle = 0
  let total = 0
  for (const { times } of cpus()) {
    idle += times.idle
    total += times.user + times.nice + times.sys + times.idle + times.irq
  }
  return { idle, total }
}

function sinceStart(): number {
  const { user, system } = process.cpuUsage()
  return rounded((user + system) / 1_000_000 / process.uptime() / availableParallelism())
}

/** A share in percent, with one decimal. */
const rounded = (share: number): number => Math.round(clamp(share, 0, 1) * 1_000) / 10

/** The delay of a 1 ms timer beyond 1 ms. */
async function eventLoopLag(): Promise<number> {
  const begun = performance.now()
  await setTimeout(1)
  return Math.round(Math.max(0, performance.now() - begun - 1) * 10) / 10
}
