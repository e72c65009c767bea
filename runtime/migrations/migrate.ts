import type { Sql } from '../ports/sql.ts'
import { schema } from './0001-schema.ts'

/** One numbered step of the schema. Once released it is never edited: a test holds its hash. */
export interface Migration {
  version: number
  name: string
  statements: readonly string[]
}

/** Every step, in order. A later release adds `NNNN-name.ts` and a line here. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'schema of 0.1.0', statements: statementsOf(schema) },
]

/** A statement ends with `;` before a line that is not indented. */
function statementsOf(script: string): string[] {
  const statements = script.replace(/^[ \t]*--.*\n/gm, '').split(/;\n(?!\s*END)(?=\S|\n|$)/)
  return statements.map((statement) => statement.trim()).filter(Boolean)
}

/** The database was written by a newer hearthd than this one. */
export class NewerSchema extends Error {
  override name = 'NewerSchema'
}

/** The database was written before the first release, with tables that have changed since. */
export class UnreleasedSchema extends Error {
  override name = 'UnreleasedSchema'
}

const ledger = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, release TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT`

/** Reads the last step that was applied to a database, and the release that did. */
export const newestMigration = 'SELECT version, release FROM schema_migrations ORDER BY version DESC LIMIT 1'

/**
 * Steps that the database still lacks. Throws `NewerSchema` when it has steps that this release does not
 * know.
 */
export async function pendingMigrations(sql: Sql): Promise<Migration[]> {
  const tables = await sql.read(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`)
  if (tables.length === 0) return [...migrations]
  const applied = await sql.read<{ version: number; release: string }>(
    'SELECT version, release FROM schema_migrations ORDER BY version',
  )
  const newest = applied.at(-1)
  const latest = migrations.at(-1)?.version ?? 0
  if (newest && newest.version > latest) {
    throw new NewerSchema(`The database belongs to hearthd ${newest.release}; use that version or a newer one`)
  }
  if (applied.length > 0 && migrations.length === 1) await requireReleased(sql)
  const done = new Set(applied.map((row) => row.version))
  return migrations.filter((migration) => !done.has(migration.version))
}

/**
 * Throws `UnreleasedSchema` unless the database has everything that the first step creates. Until 0.1.0 is released that
 * step still changes, and no step leads from an earlier state of it to this one.
 */
async function requireReleased(sql: Sql): Promise<void> {
  const rows = await sql.read<{ sql: string }>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL')
  const creating = migrations[0]?.statements.filter((statement) => statement.startsWith('CREATE')) ?? []
  const present = new Set(rows.map((row) => row.sql))
  // Nearly always: comparing without regard to spaces takes milliseconds.
  if (creating.every((statement) => present.has(statement))) return
  const presentPlain = new Set(rows.map((row) => plain(row.sql)))
  const missing = creating.find((statement) => !presentPlain.has(plain(statement)))
  if (missing === undefined) return
  const what = /^CREATE (?:UNIQUE |VIRTUAL )?(\w+ \w+)/.exec(missing)?.[1] ?? 'schema'
  throw new UnreleasedSchema(
    `The database was written by an unreleased version of hearthd (its ${what} is different) and this one cannot use it; start with another data folder, or move this one away and set up again`,
  )
}

/** SQLite keeps the text of a statement as it was written. */
const plain = (statement: string) => statement.replace(/\s+/g, ' ')

/** Applies pending steps in one transaction: if the process is killed midway, the old schema remains. */
export async function migrate(sql: Sql, release: string, now: string): Promise<number> {
  const pending = await pendingMigrations(sql)
  if (pending.length === 0) return 0
  const steps = pending.flatMap((migration) => [
    ...migration.statements.map((statement) => ({ sql: statement })),
    {
      sql: 'INSERT INTO schema_migrations (version, name, release, applied_at) VALUES (?, ?, ?, ?)',
      args: [migration.version, migration.name, release, now],
    },
  ])
  await sql.write([{ sql: ledger }, ...steps]).catch(async (thrown: unknown) => {
    // Another process that starts on the same database may have been faster.
    if ((await pendingMigrations(sql)).length > 0) throw thrown
  })
  return pending.length
}
