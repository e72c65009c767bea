import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../adapters/libsql/open.ts'
import { isDue, LogCopier } from '../../../adapters/libsql/write-ahead-log.ts'
import { toFault } from '../../../runtime/http/errors.ts'
import { GuardFailed, ReadTooLong, StoreUnavailable } from '../../../runtime/ports/sql.ts'

async function store(encryption_key?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-long-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const opened = await openStore({ data_dir: folder, ...(encryption_key ? { encryption_key } : {}) })
  await opened.sql.write([{ sql: 'CREATE TABLE thing (id INTEGER PRIMARY KEY, note TEXT) STRICT' }])
  return opened
}

const many = 50_000
const fill = {
  sql: `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?)
    INSERT INTO thing SELECT id, ? FROM n`,
  args: [many, 'a note'],
}
const count = 'SELECT count(*) AS total FROM thing'

test.each([undefined, 'a key of thirty-two characters!!'])(
  'slow statements do not block the event loop, and their result becomes visible only at the end, as a whole',
  async (key) => {
    const { sql, close } = await store(key)
    const seen = new Set<unknown>()
    let turns = 0
    let done = false
    const writing = sql.write([fill, { sql: 'DELETE FROM thing WHERE id = 1' }], { long: true }).then((all) => {
      done = true
      return all
    })
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve))
      turns += 1
      if (!done) seen.add((await sql.read<{ total: number }>(count))[0]?.total)
    }

    expect((await writing).map(({ changes }) => changes)).toEqual([many, 1])
    expect(await sql.read(count)).toEqual([{ total: many - 1 }])
    expect(turns).toBeGreaterThan(5)
    expect([...seen].filter((total) => total !== 0 && total !== many - 1)).toEqual([])
    await close()
  },
)

test('a read that takes too long is interrupted, and others are not', async () => {
  const { sql, close } = await store()
  const endless = `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT count(*) FROM n`
  const limited = sql.read(endless, [], { long: true, max_seconds: 0.05 })
  const interrupted = expect(limited).rejects.toThrow(ReadTooLong)

  expect(await sql.read(count, [], { long: true, max_seconds: 60 })).toEqual([{ total: 0 }])
  await interrupted
  expect(await sql.read(count, [], { long: true })).toEqual([{ total: 0 }])
  expect(toFault(await limited.catch((thrown: unknown) => thrown))).toMatchObject({ status: 503 })
  await close()
})

test('writes around it keep their order', async () => {
  const { sql, close } = await store()
  const before = sql.write([{ sql: `INSERT INTO thing VALUES (1, 'before')` }])
  const long = sql.write([{ sql: `UPDATE thing SET note = note || ', long'` }], { long: true })
  const after = sql.write([{ sql: `UPDATE thing SET note = note || ', after' RETURNING note` }])

  await Promise.all([before, long])
  expect((await after)[0]?.rows).toEqual([{ note: 'before, long, after' }])
  await close()
})

test('its rows and guards are those of any write; a failed guard leaves nothing', async () => {
  const { sql, close } = await store()
  const [made] = await sql.write([{ sql: `INSERT INTO thing VALUES (7, 'a') RETURNING id, note` }], {
    long: true,
  })
  const refused = sql.write([{ sql: 'DELETE FROM thing' }, { sql: 'DELETE FROM thing WHERE id = 9', guard: 'gone' }], {
    long: true,
  })

  expect(made).toEqual({ rows: [{ id: 7, note: 'a' }], changes: 1 })
  await expect(refused).rejects.toThrow(GuardFailed)
  expect(await sql.read(count)).toEqual([{ total: 1 }])
  await sql.write([{ sql: `INSERT INTO thing VALUES (8, 'b')` }])
  await close()
})

test('closing waits for work in progress', async () => {
  const { sql, close } = await store()
  const writing = sql.write([fill], { long: true })
  await close()

  expect((await writing)[0]?.changes).toBe(many)
})

test('writes during closing are refused, and earlier ones are stored', async () => {
  const { sql, close } = await store()
  const before = sql.write([{ sql: `INSERT INTO thing VALUES (1, 'a') RETURNING note` }])
  const closing = close()
  const late = () => [
    expect(sql.write([{ sql: 'DELETE FROM thing' }])).rejects.toThrow(StoreUnavailable),
    expect(sql.write([{ sql: 'DELETE FROM thing' }], { long: true })).rejects.toThrow(StoreUnavailable),
    expect(sql.compact()).rejects.toThrow(StoreUnavailable),
  ]
  await Promise.all(late())
  await closing
  await Promise.all(late())

  expect((await before)[0]?.rows).toEqual([{ note: 'a' }])
})

test('the log is copied after many or long transactions', () => {
  expect(isDue({ transactions: 199, milliseconds: 149 })).toBe(false)
  expect(isDue({ transactions: 200, milliseconds: 0 })).toBe(true)
  expect(isDue({ transactions: 1, milliseconds: 150 })).toBe(true)
})

test('writes during a copy of the log are copied exclusively afterwards, and a failure only delays them', async () => {
  const told: string[] = []
  let fail = false
  const aside = {
    async copyLog(mode: string) {
      told.push(mode)
      if (fail) throw new Error('database or disk is full')
      if (told.length === 1) copier.wrote(1)
    },
  }
  const alone = async (work: () => Promise<unknown>) => {
    told.push('alone')
    await work()
  }
  const copier = new LogCopier(aside, alone)
  copier.wrote(1_000)
  await copier.settled()
  expect(told).toEqual(['PASSIVE', 'alone', 'PASSIVE'])

  fail = true
  copier.wrote(1_000)
  await copier.settled()
  expect(told).toHaveLength(4)
})
