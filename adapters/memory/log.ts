import type { Log, LogLevel } from '../../runtime/ports/log.ts'

export interface LogLine {
  level: LogLevel
  message: string
  fields: Record<string, unknown>
}

/** Keeps its lines for tests. */
export function createMemoryLog(): Log & { lines: LogLine[] } {
  const lines: LogLine[] = []
  return { lines, write: (level, message, fields = {}) => void lines.push({ level, message, fields }) }
}
