import { LogLines } from '../../runtime/log-lines.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Log, LogLevel } from '../../runtime/ports/log.ts'
import { iso } from '../../runtime/time.ts'

export interface MemoryLine {
  level: LogLevel
  message: string
  fields: Record<string, unknown>
}

/** Keeps its lines for tests. */
export function createMemoryLog(clock: Pick<Clock, 'now'> = { now: () => 0 }): Log & { lines: MemoryLine[] } {
  const lines: MemoryLine[] = []
  const recent = new LogLines()
  return {
    lines,
    write(level, message, fields = {}) {
      lines.push({ level, message, fields })
      recent.add({ ...fields, at: iso(clock.now()), level, message })
    },
    recent: recent.recent,
    follow: recent.follow,
  }
}
