export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Structured lines. Implementations redact credentials and query strings. */
export interface Log {
  write(level: LogLevel, message: string, fields?: Record<string, unknown>): void
}
