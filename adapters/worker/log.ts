import { LogLines } from '../../runtime/log-lines.ts'
import type { Log, LogLevel } from '../../runtime/ports/log.ts'
import { redact, redactText } from '../log/redact.ts'

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** JSON lines for the log of the platform, without secrets; lines below `lowest` are dropped. */
export function createConsoleLog(lowest: LogLevel): Log {
  const recent = new LogLines()
  return {
    write(level, message, fields = {}) {
      if (levels.indexOf(level) < levels.indexOf(lowest)) return
      const line = { level, message: redactText(message), ...(redact(fields) as object) }
      console[level](JSON.stringify(line))
      recent.add({ at: new Date().toISOString(), ...line })
    },
    recent: recent.recent,
    follow: recent.follow,
  }
}
