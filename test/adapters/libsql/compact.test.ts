import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../adapters/libsql/open.ts'

const secret = 'the secret of the blue harbour '.repeat(40)

test('compacting leaves no deleted data in any file, and the file shrinks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-compact-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { sql, close } = await openStore({ data_dir: folder })
  const path = join(folder, 'hearthd.db')
  const held = () =>
    readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes('the secret of the blue'))
  await sql.write([{ sql: 'CREATE TABLE thing (id INTEGER PRIMARY KEY, note TEXT) STRICT' }])
  for (let id = 0; id < 2_000; id += 1)
    await sql.write([{ sql: 'INSERT INTO thing VALUES (?, ?)', args: [id, secret] }], { durable: false })
  expect(held()).toBe(true)

  await sql.write([{ sql: 'DELETE FROM thing' }])
  await sql.compact()
  expect(held()).toBe(false)
  expect(statSync(path).size).toBeLessThan(100_000)
  await close()
})
