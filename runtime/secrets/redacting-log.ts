import type { Log } from '../ports/log.ts'
import type { Redaction } from './redaction.ts'

/** The log of the host without what the security settings blank. */
export const redactingLog = (log: Log, redaction: Redaction): Log => ({
  write: (level, message, fields = {}) => log.write(level, redaction.text(message), redaction.value(fields)),
})
