import { z } from 'zod'
import type { Context } from '../context.ts'
import { migrations } from '../migrations/migrate.ts'
import { redact as redactSecrets } from '../secrets/redact.ts'
import { readSection, type Section } from '../sections/section.ts'
import { iso } from '../time.ts'
import { isSameJson } from '../values.ts'
import { countWork } from '../work/store.ts'
import { countRows } from './size-store.ts'

export const Diagnostics = z.object({
  format: z.literal('hearthd.diagnostics'),
  made_at: z.string(),
  release: z.string(),
  schema_version: z.int(),
  started_at: z.string(),
  database: z.object({ bytes: z.int(), wal_bytes: z.int() }),
  disk: z.object({ free_bytes: z.int(), total_bytes: z.int() }).nullable(),
  resident_bytes: z.int().nullable(),
  /** Units of work by status. */
  work: z.record(z.string(), z.int()),
  /** Rows by table. */
  rows: z.record(z.string(), z.int()),
  /** Settings that differ from their defaults, without text values, which can contain anything. */
  settings: z.record(z.string(), z.record(z.string(), z.unknown())),
  /** Warnings and errors from the log, redacted. */
  log: z.array(z.string()),
})
export type Diagnostics = z.output<typeof Diagnostics>

const maxLines = 300

/**
 * Diagnostics for support, without secrets and without text that people wrote: sizes, counts,
 * booleans and numbers of the settings, and errors from the log.
 */
export async function diagnostics(context: Context, sections: readonly Section[]): Promise<Diagnostics> {
  const tables = context.areas.flatMap(({ tables: own = [] }) => own)
  const [database, disk, work, rows, settings, lines] = await Promise.all([
    context.sql.size(),
    context.machine.disk(),
    countWork(context),
    countRows(context.sql, tables),
    Promise.all(sections.map(async (section) => [section.name, await changedMembers(context, section)] as const)),
    context.log.recent(),
  ])
  return {
    format: 'hearthd.diagnostics',
    made_at: iso(context.clock.now()),
    release: context.config.version,
    schema_version: migrations.at(-1)?.version ?? 0,
    started_at: iso(context.process.started_at),
    database,
    disk,
    work,
    rows,
    resident_bytes: context.machine.residentBytes(),
    settings: Object.fromEntries(settings.filter(([, members]) => Object.keys(members).length > 0)),
    log: lines
      .filter(({ level }) => level === 'warn' || level === 'error')
      .slice(-maxLines)
      .map((line) => redactSecrets(JSON.stringify(line))),
  }
}

async function changedMembers(context: Context, section: Section): Promise<Record<string, unknown>> {
  const defaults = section.defaults(context.config) as Record<string, unknown>
  const changed = Object.entries(await readSection(context, section)).filter(
    ([name, value]) => !isSameJson(value, defaults[name]),
  )
  return Object.fromEntries(changed.map(([name, value]) => [name, withoutTexts(value)]))
}

/** Booleans and numbers as they are; for all other values, only their size. */
function withoutTexts(value: unknown): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'string') return '(text)'
  if (Array.isArray(value)) return `(${value.length} entries)`
  if (typeof value !== 'object') return null
  return `(${Object.keys(value).length} members)`
}
