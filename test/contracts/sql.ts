import { afterEach, beforeEach, expect, test } from 'vitest'
import { GuardFailed, type Sql, type Value } from '../../runtime/ports/sql.ts'

export interface SqlSubject {
  sql: Sql
  end(): Promise<void>
}

const table = 'CREATE TABLE thing (id TEXT PRIMARY KEY, size INTEGER, weight REAL, body BLOB, note TEXT) STRICT'

/** What every implementation of the `Sql` port does. */
export function sqlContract(open: () => Promise<SqlSubject>): void {
  let subject: SqlSubject
  let sql: Sql

  beforeEach(async () => {
    subject = await open()
    sql = subject.sql
    await sql.write([{ sql: table }])
  })
  afterEach(() => subject.end())

  const insert = (id: string, values: Partial<Record<'size' | 'weight' | 'body' | 'note', Value>> = {}) => ({
    sql: 'INSERT INTO thing (id, size, weight, body, note) VALUES (?, ?, ?, ?, ?)',
    args: [id, values.size ?? null, values.weight ?? null, values.body ?? null, values.note ?? null],
  })
  const ids = async () => (await sql.read<{ id: string }>('SELECT id FROM thing ORDER BY id')).map((row) => row.id)

  test('stores a batch and reads it back', async () => {
    const written = await sql.write([insert('a', { size: 1 }), insert('b', { size: 2 })])

    expect(written.map((one) => one.changes)).toEqual([1, 1])
    expect(await sql.read('SELECT id, size FROM thing WHERE size > ? ORDER BY id', [0])).toEqual([
      { id: 'a', size: 1 },
      { id: 'b', size: 2 },
    ])
  })

  test('a batch is all or nothing', async () => {
    await expect(sql.write([insert('a'), insert('a')])).rejects.toThrow(/UNIQUE/)

    expect(await ids()).toEqual([])
  })

  test('a slow batch runs in order like any other', async () => {
    const first = sql.write([insert('a', { size: 1 })])
    const long = sql.write([{ sql: 'UPDATE thing SET size = size + 1' }, insert('b', { size: 5 })], {
      long: true,
    })
    await Promise.all([first, long])

    expect((await long).map((one) => one.changes)).toEqual([1, 1])
    expect(await sql.read('SELECT id, size FROM thing ORDER BY id')).toEqual([
      { id: 'a', size: 2 },
      { id: 'b', size: 5 },
    ])
  })

  test('reads of a table that changes rarely see every change of it', async () => {
    const sizes = () =>
      sql.read<{ id: string; size: number }>('SELECT id, size FROM thing WHERE size > ?', [0], { kept: 'thing' })
    expect(await sizes()).toEqual([])

    await sql.write([insert('a', { size: 1 })])
    const read = await sizes()
    expect(read).toEqual([{ id: 'a', size: 1 }])
    for (const row of read) row.size = 9
    expect(await sizes()).toEqual([{ id: 'a', size: 1 }])

    const failed = sql.write([{ sql: 'UPDATE thing SET size = 2' }, insert('a')])
    const changed = sql.write([{ sql: 'UPDATE thing SET size = size + 2' }])
    await expect(failed).rejects.toThrow(/UNIQUE/)
    await changed
    expect(await sizes()).toEqual([{ id: 'a', size: 3 }])

    await sql.write([{ sql: 'UPDATE thing SET size = 4' }], { long: true })
    expect(await sizes()).toEqual([{ id: 'a', size: 4 }])
  })

  test('a statement that is not SQL fails alone, and the next batch works', async () => {
    await expect(sql.write([insert('a'), { sql: 'INSERT INTO nowhere VALUES (1)' }])).rejects.toThrow(/no such table/)
    await expect(sql.read('SELECT * FROM nowhere')).rejects.toThrow(/no such table/)
    await sql.write([insert('b')])

    expect(await ids()).toEqual(['b'])
  })

  test('a guard that changes nothing rolls the whole batch back and reports it', async () => {
    const guarded = {
      sql: 'UPDATE thing SET size = 1 WHERE id = ?',
      args: ['missing'],
      guard: 'it has moved on',
    }
    const failed = await sql.write([insert('a'), guarded, insert('b')]).catch((thrown: unknown) => thrown)

    expect(failed).toBeInstanceOf(GuardFailed)
    expect((failed as Error).message).toBe('it has moved on')
    expect(await ids()).toEqual([])
  })

  test('a non-durable batch is read and guarded like any other', async () => {
    const late = { durable: false }
    await sql.write([insert('a')], late)
    const mixed = [sql.write([insert('b')], late), sql.write([insert('c')]), sql.write([insert('d')], late)]
    await Promise.all(mixed)
    const gone = { sql: 'DELETE FROM thing WHERE id = ?', args: ['missing'], guard: 'gone' }

    await expect(sql.write([insert('e'), gone], late)).rejects.toThrow('gone')
    expect(await ids()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a failed guard takes precedence over later errors', async () => {
    const guarded = { sql: 'DELETE FROM thing WHERE id = ?', args: ['missing'], guard: 'somebody was first' }
    await expect(sql.write([guarded, insert('a'), insert('a')])).rejects.toThrow('somebody was first')
  })

  test('a guard that changes a row lets the batch through', async () => {
    await sql.write([insert('a')])
    const take = {
      sql: 'UPDATE thing SET size = 1 WHERE id = ? AND size IS NULL',
      args: ['a'],
      guard: 'taken',
    }
    await sql.write([take, insert('b')])

    await expect(sql.write([take])).rejects.toThrow('taken')
    expect(await ids()).toEqual(['a', 'b'])
  })

  test('a guard may return rows', async () => {
    await sql.write([insert('a')])
    const take = { sql: 'DELETE FROM thing WHERE id = ? RETURNING id', args: ['a'], guard: 'gone' }

    expect(await sql.write([take])).toEqual([{ rows: [{ id: 'a' }], changes: 1 }])
    await expect(sql.write([take])).rejects.toThrow('gone')
  })

  test('RETURNING returns the rows and their number', async () => {
    const returning = { ...insert('a', { size: 7 }), sql: `${insert('a').sql} RETURNING id, size` }

    expect(await sql.write([returning])).toEqual([{ rows: [{ id: 'a', size: 7 }], changes: 1 }])
  })

  test('integers stay integers, up to the largest safe one; reals stay reals', async () => {
    const largest = Number.MAX_SAFE_INTEGER
    await sql.write([
      insert('a', { size: largest, weight: 0.1 }),
      insert('b', { size: -largest, weight: 2 }),
      insert('c', { size: 0 }),
    ])

    expect(await sql.read('SELECT size, typeof(size) AS kind, weight FROM thing ORDER BY id')).toEqual([
      { size: largest, kind: 'integer', weight: 0.1 },
      { size: -largest, kind: 'integer', weight: 2 },
      { size: 0, kind: 'integer', weight: null },
    ])
  })

  test('bytes come back as bytes', async () => {
    const body = Uint8Array.from({ length: 256 }, (_, index) => index)
    await sql.write([insert('a', { body }), insert('b', { body: new Uint8Array() }), insert('c')])
    const rows = await sql.read<{ body: Uint8Array | null }>('SELECT body FROM thing ORDER BY id')

    expect(rows.map((row) => row.body && [...row.body])).toEqual([[...body], [], null])
    expect(rows[0]?.body).toBeInstanceOf(Uint8Array)
  })

  test('bytes are returned after rows without any', async () => {
    await sql.write([insert('a'), insert('b', { body: Uint8Array.of(1, 2) })])
    const rows = await sql.read<{ body: unknown }>('SELECT body FROM thing ORDER BY id')

    expect(rows.map(({ body }) => body)).toEqual([null, Uint8Array.of(1, 2)])
  })

  test('text of every Unicode plane is returned unchanged', async () => {
    const planes = Array.from({ length: 17 }, (_, plane) =>
      String.fromCodePoint(plane * 0x10000 + 0x41, plane * 0x10000 + 0xfffd),
    )
    const notes = [...planes, 'e\u0301 \u00e9', '\u200f\u202e', 'quote \' " ; --', '\r\n\t', '', '\ufeffx']
    await sql.write(notes.map((note, index) => insert(String(index).padStart(3, '0'), { note })))
    const rows = await sql.read<{ note: string }>('SELECT note FROM thing ORDER BY id')

    expect(rows.map((row) => row.note)).toEqual(notes)
  })

  test('of batches at the same time, those that fail do so alone, and the others are stored in order', async () => {
    const guarded = { sql: 'DELETE FROM thing WHERE id = ?', args: ['missing'], guard: 'gone' }
    const batches = [[insert('a')], [insert('b'), guarded], [insert('c'), insert('d')], [insert('a')], [insert('e')]]
    const ends = await Promise.allSettled(batches.map((batch) => sql.write(batch)))

    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
    expect(ends[1]).toMatchObject({ reason: new GuardFailed('gone') })
    expect(ends[2]).toMatchObject({ value: [{ changes: 1 }, { changes: 1 }] })
    expect(await sql.read('SELECT id FROM thing ORDER BY rowid')).toEqual(['a', 'c', 'd', 'e'].map((id) => ({ id })))
  })

  test('concurrent writers all get their turn, and one of racing ones wins', async () => {
    const stores = Array.from({ length: 40 }, (_, index) => sql.write([insert(`w${index}`)]))
    const racers = Array.from({ length: 20 }, () =>
      sql.write([{ sql: `INSERT INTO thing (id) VALUES ('one') ON CONFLICT DO NOTHING`, guard: 'lost' }]),
    )
    const outcomes = await Promise.allSettled(racers)
    await Promise.all(stores)

    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    expect(await ids()).toHaveLength(41)
  })

  test('a failing writer does not affect concurrent ones', async () => {
    const outcomes = await Promise.allSettled([
      sql.write([insert('a')]),
      sql.write([insert('a')]),
      sql.write([insert('b')]),
    ])

    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await ids()).toEqual(['a', 'b'])
  })

  test('written data can be read at once', async () => {
    for (let index = 0; index < 20; index += 1) {
      await sql.write([insert(String(index))])
      expect(await sql.read('SELECT count(*) AS count FROM thing')).toEqual([{ count: index + 1 }])
    }
  })

  test('foreign keys are enforced', async () => {
    await sql.write([{ sql: 'CREATE TABLE part (thing TEXT NOT NULL REFERENCES thing (id) ON DELETE CASCADE) STRICT' }])
    await sql.write([insert('a'), { sql: `INSERT INTO part VALUES ('a')` }])

    await expect(sql.write([{ sql: `INSERT INTO part VALUES ('missing')` }])).rejects.toThrow(/FOREIGN KEY/)
    await sql.write([{ sql: `DELETE FROM thing WHERE id = 'a'` }])
    expect(await sql.read('SELECT * FROM part')).toEqual([])
  })

  test('searches text', async () => {
    await sql.write([
      { sql: `CREATE VIRTUAL TABLE words USING fts5 (note, tokenize = 'unicode61 remove_diacritics 2')` },
      { sql: 'INSERT INTO words VALUES (?)', args: ['The café by the harbour'] },
      { sql: 'INSERT INTO words VALUES (?)', args: ['A garden'] },
    ])
    const found = await sql.read('SELECT note, bm25(words) < 0 AS ranked FROM words WHERE words MATCH ?', ['cafe'])

    expect(found).toEqual([{ note: 'The café by the harbour', ranked: 1 }])
  })

  test('compacting does not change remaining rows, even for prepared statements', async () => {
    await sql.write([{ sql: 'CREATE TABLE numbered (n INTEGER PRIMARY KEY, thing TEXT) STRICT' }])
    await sql.write([insert('a', { size: 1 }), insert('b'), { sql: `INSERT INTO numbered VALUES (7, 'b')` }])
    expect(await ids()).toEqual(['a', 'b'])
    await sql.write([{ sql: `DELETE FROM thing WHERE id = 'a'` }])
    await sql.compact()
    await sql.write([insert('c')])

    expect(await ids()).toEqual(['b', 'c'])
    expect(await sql.read('SELECT n FROM numbered')).toEqual([{ n: 7 }])
  })

  test('shrinking does not change remaining rows, and a long read sees them', async () => {
    await sql.write([insert('a', { size: 1 }), insert('b')])
    await sql.write([{ sql: `DELETE FROM thing WHERE id = 'a'` }])
    await sql.shrink(new AbortController().signal)
    await sql.shrink(AbortSignal.abort())
    await sql.write([insert('c')])

    const rows = await sql.read('SELECT id FROM thing WHERE id > ? ORDER BY id', ['a'], { long: true })
    expect(rows).toEqual([{ id: 'b' }, { id: 'c' }])
    await expect(sql.read('SELECT nothing', [], { long: true })).rejects.toThrow()
  })

  test('an empty batch does nothing', async () => {
    expect(await sql.write([])).toEqual([])
  })
}
