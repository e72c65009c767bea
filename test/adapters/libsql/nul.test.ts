import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../adapters/libsql/open.ts'
import type { Sql, Value } from '../../../runtime/ports/sql.ts'

async function openTemporary(): Promise<Sql> {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-test-'))
  const { sql, close } = await openStore({ data_dir: folder })
  onTestFinished(async () => {
    await close()
    rmSync(folder, { recursive: true })
  })
  return sql
}

test('U+0000 in a text does not cut it', async () => {
  const sql = await openTemporary()
  await sql.write([{ sql: 'CREATE TABLE notes (text TEXT) STRICT' }])
  await sql.write([{ sql: 'INSERT INTO notes VALUES (?)', args: ['before\u0000after'] }])

  expect(await sql.read('SELECT text FROM notes')).toEqual([{ text: 'before\ufffdafter' }])
})

test('an unchecked boolean does not abort the process', async () => {
  const sql = await openTemporary()
  const unchecked = [true, false] as unknown as Value[]
  const query = 'SELECT ? AS yes, ? AS no'
  const [written] = await sql.write([{ sql: query, args: unchecked }], { long: true })

  expect(await sql.read(query, unchecked)).toEqual([{ yes: 1, no: 0 }])
  expect(written?.rows).toEqual([{ yes: 1, no: 0 }])
})
