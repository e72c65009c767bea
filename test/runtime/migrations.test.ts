import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import {
  migrate,
  migrations,
  NewerSchema,
  pendingMigrations,
  UnreleasedSchema,
} from '../../runtime/migrations/migrate.ts'

/** SHA-256 of each step. A released step is never edited: add one after it. */
const hashes: Record<string, string> = {
  'schema of 0.1.0': 'afa1d18cd61157a3f21c125796670fc793d71f79a542c7a70cc04a5620e0df8f',
}

const now = '2026-01-05T12:00:00.000Z'

test('the steps are numbered without gaps or duplicates', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
})

test.each(migrations)('the step $name is unchanged', ({ name, statements }) => {
  expect(createHash('sha256').update(JSON.stringify(statements)).digest('hex')).toBe(hashes[name])
})

test('every step is applied once', async () => {
  const sql = createMemorySql()
  expect(await migrate(sql, '0.1.0', now)).toBe(migrations.length)
  expect(await migrate(sql, '0.1.0', now)).toBe(0)
  expect(await pendingMigrations(sql)).toEqual([])
})

test('a database of a newer release is refused with the version to use', async () => {
  const sql = createMemorySql()
  await migrate(sql, '0.1.0', now)
  await sql.write([{ sql: `INSERT INTO schema_migrations VALUES (9999, 'later', '7.0.0', ?)`, args: [now] }])
  const refused = pendingMigrations(sql)
  await expect(refused).rejects.toBeInstanceOf(NewerSchema)
  await expect(refused).rejects.toThrow('7.0.0')
})

test('a database of an unreleased version is refused with what to do', async () => {
  const sql = createMemorySql()
  await migrate(sql, '0.1.0', now)
  await sql.write([{ sql: 'ALTER TABLE messages ADD COLUMN request_key TEXT' }])
  const refused = pendingMigrations(sql)
  await expect(refused).rejects.toBeInstanceOf(UnreleasedSchema)
  await expect(refused).rejects.toThrow(/table messages.*move this one away/i)
})

test('a database whose statements have other spaces is accepted', async () => {
  const sql = createMemorySql()
  await migrate(sql, '0.1.0', now)
  const ledger = await sql.read<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = 'schema_migrations'")
  const older = createMemorySql()
  const squeezed = (migrations[0]?.statements ?? []).map((statement) => statement.replace(/\s+/g, ' '))
  await older.write([...ledger, ...squeezed.map((statement) => ({ sql: statement }))])
  await older.write([{ sql: `INSERT INTO schema_migrations VALUES (1, 'schema of 0.1.0', '0.1.0', '${now}')` }])
  expect(await pendingMigrations(older)).toEqual([])
})

test('every table is STRICT except those of the full-text search', async () => {
  const sql = createMemorySql()
  await migrate(sql, '0.1.0', now)
  const loose = await sql.read<{ name: string }>(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`,
  )
  expect(loose).toEqual([])
})
