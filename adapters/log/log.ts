import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LogLines } from '../../runtime/log-lines.ts'
import type { Log, LogFiles, LogLevel, LogLine } from '../../runtime/ports/log.ts'
import { redact, redactText } from './redact.ts'

interface LogOptions {
  /** Lines below this level are dropped. */
  level: LogLevel
  /** File for JSON lines; none by default. */
  file?: string
  /** A second destination of the lines: readable on a terminal, else JSON. */
  stream?: NodeJS.WriteStream
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
const colourOf: Record<LogLevel, number> = { debug: 90, info: 36, warn: 33, error: 31 }

export const logFile = (data_dir: string) => join(data_dir, 'logs', 'hearthd.log')

/** Structured lines without secrets: `{at, level, message, …fields}`. */
export function createLog({ level: lowest, file, stream }: LogOptions): Log & { close(): void } {
  const lines = file ? openLineFile(file) : null
  const recent = new LogLines()
  const keeps = (level: LogLevel) => levels.indexOf(level) >= levels.indexOf(lowest)
  return {
    keeps,
    write(level, message, fields = {}) {
      if (!keeps(level)) return
      const at = new Date().toISOString()
      const line = { at, level, message: redactText(message), ...(redact(fields) as object) }
      lines?.write(JSON.stringify(line))
      stream?.write(`${stream.isTTY ? formatLine(line, { colours: stream.hasColors() }) : JSON.stringify(line)}\n`)
      // Lines are read back from the file, which has those of earlier processes too.
      if (file) recent.publish(line)
      else recent.add(line)
    },
    recent: file ? () => readLatest(file) : recent.recent,
    follow: recent.follow,
    ...(file && { files: filesOf(file) }),
    close: () => lines?.close(),
  }
}

function filesOf(path: string): LogFiles {
  const rotated = async () => {
    const names = Array.from({ length: keptFiles }, (_, index) => `${path}.${index + 1}`)
    const files = names.map(async (name) => ({ name, stat: await stat(name).catch(() => null) }))
    return (await Promise.all(files)).flatMap(({ name, stat }) => (stat ? [{ name, ...stat }] : []))
  }
  return {
    async size() {
      const older = await rotated()
      const { size } = await stat(path)
      const oldest = Math.min(...older.map(({ mtimeMs }) => mtimeMs))
      return {
        count: older.length + 1,
        bytes: older.reduce((sum, one) => sum + one.size, size),
        oldest_at: older.length === 0 ? null : new Date(oldest).toISOString(),
      }
    },
    async prune(before) {
      for (const { name, mtimeMs } of await rotated()) if (mtimeMs < Date.parse(before)) await rm(name, { force: true })
    },
  }
}

interface LineFormat {
  colours: boolean
  /** IANA zone of the time. Default: that of this process. */
  timezone?: string
}

/** A line for a person: `12:00:00 warn  message name=value`. */
export function formatLine(
  { at, level, message, ...fields }: Pick<LogLine, 'at' | 'level' | 'message'>,
  { colours, timezone }: LineFormat,
): string {
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const paint = (code: number, text: string) => (colours && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text)
  const time = new Date(at).toLocaleTimeString('en-GB', { timeZone: timezone })
  return [paint(90, time), paint(colourOf[level], level.padEnd(5)), message, paint(90, rest.join(' '))]
    .join(' ')
    .trimEnd()
}

/** Bytes read from the end of the file; holds more than 2,000 lines. */
const tailBytes = 1024 * 1024

/** The latest lines, including those of earlier processes and of a just rotated file. */
async function readLatest(path: string): Promise<LogLine[]> {
  const lines = await readTail(path)
  const older = `${path}.1`
  return lines.length < 1_000 && existsSync(older) ? [...(await readTail(older)), ...lines] : lines
}

async function readTail(path: string): Promise<LogLine[]> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - tailBytes)
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(size, tailBytes)),
      position: from,
    })
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    // The first line is complete only if the file was read from its start.
    return lines.slice(from === 0 ? 0 : 1).flatMap(parseLine)
  } finally {
    await file.close()
  }
}

/** Omits lines that a crash truncated. */
function parseLine(text: string): LogLine[] {
  if (text === '') return []
  try {
    return [JSON.parse(text) as LogLine]
  } catch {
    return []
  }
}

/** Bytes of a file before it is rotated. */
const maxBytes = 10 * 1024 * 1024
const keptFiles = 4

/** Appends lines to a file. A full file becomes `.1`, and the oldest is deleted. */
function openLineFile(path: string): { write(line: string): void; close(): void } {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  let file = openSync(path, 'a', 0o600)
  let size = fstatSync(file).size
  const rotate = () => {
    closeSync(file)
    for (let number = keptFiles; number > 0; number -= 1) {
      const older = number === 1 ? path : `${path}.${number - 1}`
      if (existsSync(older)) renameSync(older, `${path}.${number}`)
    }
    file = openSync(path, 'a', 0o600)
    size = 0
  }
  return {
    write(line) {
      try {
        if (size > maxBytes) rotate()
        size += writeSync(file, `${line}\n`)
      } catch {
        // A full disk must not stop what can still be served.
      }
    },
    close: () => closeSync(file),
  }
}
