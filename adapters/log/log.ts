import type { Log, LogLevel } from '../../runtime/ports/log.ts'
import { openLineFile } from './file.ts'
import { redact, redactText } from './redact.ts'

export interface LogOptions {
  /** Lines below it are dropped. */
  level: LogLevel
  /** JSON lines go here; none when absent. */
  file?: string
  /** Receives the same lines for people, or as JSON when it is no terminal; none when absent. */
  stream?: NodeJS.WriteStream
}

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
const colours: Record<LogLevel, number> = { debug: 90, info: 36, warn: 33, error: 31 }

/** Structured lines, free of secrets: `{at, level, message, …fields}`. */
export function createLog({ level, file, stream }: LogOptions): Log & { close(): void } {
  const lines = file ? openLineFile(file) : null
  const least = order.indexOf(level)
  return {
    write(of, message, fields = {}) {
      if (order.indexOf(of) < least) return
      const line = {
        at: new Date().toISOString(),
        level: of,
        message: redactText(message),
        ...(redact(fields) as object),
      }
      lines?.write(JSON.stringify(line))
      if (stream) stream.write(`${stream.isTTY ? forPeople(line) : JSON.stringify(line)}\n`)
    },
    close: () => lines?.close(),
  }
}

/** `12:00:00 warn  message  name=value` */
export function forPeople(line: { at: string; level: LogLevel; message: string }): string {
  const { at, level, message, ...fields } = line
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const paint = (code: number, text: string) => `\u001b[${code}m${text}\u001b[0m`
  return [
    paint(90, at.slice(11, 19)),
    paint(colours[level], level.padEnd(5)),
    message,
    paint(90, rest.join(' ')),
  ]
    .join(' ')
    .trimEnd()
}
