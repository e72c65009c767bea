import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testHost } from '../support/host.ts'

/** Tables of which reads are answered from memory until a statement names them, see `ReadOptions.kept`. */
const kept = globSync('runtime/**/*.ts').flatMap((path) =>
  readFileSync(path, 'utf8')
    .split(/(?=new Table<)/)
    .flatMap((table) => /^new Table<[^(]*\('(\w+)', \{\s*kept: true/.exec(table)?.[1] ?? []),
)

test('no foreign key or trigger changes a table whose rows are kept in memory', async () => {
  const { sql } = await testHost()
  const triggers = await sql.read<{ sql: string }>(`SELECT sql FROM sqlite_schema WHERE type = 'trigger'`)
  expect(kept).toContain('agents')
  for (const table of kept) {
    const keys = await sql.read(`SELECT * FROM pragma_foreign_key_list('${table}') WHERE on_delete <> 'NO ACTION'`)
    expect([table, keys]).toEqual([table, []])
    const changing = new RegExp(`\\b(?:INTO|UPDATE|FROM) ${table}\\b`)
    expect([table, triggers.filter((trigger) => changing.test(trigger.sql))]).toEqual([table, []])
  }
})
