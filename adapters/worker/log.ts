import type { Log } from '../../runtime/ports/log.ts'
import { redact, redactText } from '../log/redact.ts'

/** JSON lines for the platform's own log, free of secrets. */
export const consoleLog: Log = {
  write(level, message, fields = {}) {
    const line = { level, message: redactText(message), ...(redact(fields) as object) }
    console[level](JSON.stringify(line))
  },
}
