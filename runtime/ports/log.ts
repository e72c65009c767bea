export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** A line as it was written, without secrets. */
export interface LogLine {
  /** ISO 8601, UTC. */
  at: string
  level: LogLevel
  message: string
  [field: string]: unknown
}

/** Structured lines. Implementations redact credentials and query strings. */
export interface Log {
  write(level: LogLevel, message: string, fields?: Record<string, unknown>): void
  /** At least the latest thousand lines that are kept, oldest first. */
  recent(): Promise<LogLine[]>
  /** Calls the listener with each further line. Returns a function that stops it. */
  follow(listener: (line: LogLine) => void): () => void
}
