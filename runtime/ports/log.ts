export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** A log line, without secrets. */
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
  /** Whether lines of this level are kept; undefined if all are. */
  keeps?(level: LogLevel): boolean
  /** The latest lines, oldest first: at least a thousand or a megabyte if there are as many. */
  recent(): Promise<LogLine[]>
  /** Calls the listener with each new line. Returns a function that removes it. */
  follow(listener: (line: LogLine) => void): () => void
  /** The files of the log; undefined if it has none. */
  files?: LogFiles
}

export interface LogFiles {
  /** `oldest_at`: when the oldest rotated file was last written, ISO 8601; null if none was rotated. */
  size(): Promise<{ count: number; bytes: number; oldest_at: string | null }>
  /** Deletes rotated files that were last written before `before` (ISO 8601). */
  prune(before: string): Promise<void>
}
