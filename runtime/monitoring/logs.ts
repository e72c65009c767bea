import { z } from 'zod'
import type { Context } from '../context.ts'
import type { EventSource } from '../http/sse.ts'
import type { LogLine as Line } from '../ports/log.ts'
import type { Retained } from '../retention.ts'

const Level = z.enum(['debug', 'info', 'warn', 'error'])

export const LogLine = z.object({
  at: z.string(),
  level: Level,
  area: z.string().meta({ description: 'From the route or the kind of work; `system` for the rest' }),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()),
})
export type LogLine = z.output<typeof LogLine>

const filters = {
  level: Level.default('info').meta({ description: 'The lowest level' }),
  area: z.string().max(100).optional(),
  text: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Text contained in the message or in a field; case-insensitive' }),
}

export const LogQuery = z.object({
  ...filters,
  limit: z.coerce.number().int().min(1).max(2_000).default(200),
})
export type LogQuery = z.output<typeof LogQuery>

export const LogFilter = z.object(filters)
export type LogFilter = z.output<typeof LogFilter>

/** `total`: matching lines among those in memory. */
export const Logs = z.object({ logs: z.array(LogLine), total: z.int(), areas: z.array(z.string()) })

export const logEvents = { line: LogLine, skipped: z.object({ lines: z.int() }) }

/** The latest matching lines, oldest first. */
export async function readLogs({ log }: Context, { limit, ...filter }: LogQuery): Promise<z.output<typeof Logs>> {
  const lines = (await log.recent()).map(toLine)
  const matching = lines.filter((line) => matches(line, filter))
  const areas = [...new Set(lines.map(({ area }) => area))].sort()
  return { logs: matching.slice(-limit), total: matching.length, areas }
}

function toLine({ at, level, message, ...fields }: Line): LogLine {
  return { at, level, area: areaOf(fields), message, fields }
}

/** `/api/memory/search` → `memory`, the kind `scheduler.run` → `scheduler`. */
function areaOf({ route, kind }: Record<string, unknown>): string {
  if (typeof route === 'string') return route.split('/').find((part) => part !== '' && part !== 'api') ?? 'system'
  if (typeof kind === 'string' && kind.includes('.')) return kind.split('.', 1)[0] ?? 'system'
  return 'system'
}

function matches(line: LogLine, { level, area, text }: LogFilter): boolean {
  if (Level.options.indexOf(line.level) < Level.options.indexOf(level)) return false
  if (area !== undefined && line.area !== area) return false
  if (!text) return true
  const needle = text.toLowerCase()
  return `${line.message} ${JSON.stringify(line.fields)}`.toLowerCase().includes(needle)
}

/** Maximum lines buffered for a slow reader. */
const maxWaiting = 1_000

/** Streams new lines. A reader that is too slow is informed how many it missed. */
export const followLogs =
  ({ log }: Context, filter: LogFilter): EventSource =>
  (signal) =>
    (async function* () {
      const waiting: LogLine[] = []
      let skipped = 0
      let wake = () => {}
      const stop = log.follow((written) => {
        const line = toLine(written)
        if (!matches(line, filter)) return
        if (waiting.length < maxWaiting) waiting.push(line)
        else skipped += 1
        wake()
      })
      const ended = () => wake()
      signal.addEventListener('abort', ended)
      try {
        while (!signal.aborted) {
          const line = waiting.shift()
          if (line) yield { event: 'line', data: line }
          else if (skipped > 0) {
            yield { event: 'skipped', data: { lines: skipped } }
            skipped = 0
          } else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        stop()
        signal.removeEventListener('abort', ended)
      }
    })()

/** The files of the log. The current one is never deleted. */
export const retainedLogs: Retained = {
  async size({ log }) {
    const { count, ...size } = (await log.files?.size()) ?? { count: 0, bytes: 0, oldest_at: null }
    return { rows: count, ...size }
  },
  async prune({ log }, before) {
    await log.files?.prune(before)
    return 0
  },
}
