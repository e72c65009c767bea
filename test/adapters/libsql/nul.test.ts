import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../adapters/libsql/open.ts'

test('U+0000 in a text does not cut it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-test-'))
  const { sql, close } = await openStore({ data_dir: folder })
  onTestFinished(async () => {
    await close()
    rmSync(folder, { recursive: true })
  })
  await sql.write([{ sql: 'CREATE TABLE notes (text TEXT) STRICT' }])
  await sql.write([{ sql: 'INSERT INTO notes VALUES (?)', args: ['before\u0000after'] }])

  expect(await sql.read('SELECT text FROM notes')).toEqual([{ text: 'before\ufffdafter' }])
})
