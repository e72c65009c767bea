import type { Log, LogLevel } from '../../runtime/ports/log.ts'
import { redact, redactText } from '../log/redact.ts'

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** JSON lines for the platform's own log, free of secrets; lines below `level` are dropped. */
export function createConsoleLog(level: LogLevel): Log {
  const least = order.indexOf(level)
  return {
    write(of, message, fields = {}) {
      if (order.indexOf(of) < least) return
      const line = { level: of, message: redactText(message), ...(redact(fields) as object) }
      console[of](JSON.stringify(line))
    },
  }
}
