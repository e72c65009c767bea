import { expect, test } from 'vitest'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import { raw, sql } from '../../runtime/statement.ts'
import { containing, Table } from '../../runtime/table.ts'

interface Note {
  id: string
  index: number
  done: boolean
  tags: string[]
  error: { code: string } | null
  title: string
  color: string | null
}

const notes = new Table<Note, 'owner_id'>('notes', {
  booleans: ['done'],
  json: ['tags', 'error'],
  packed: { column: 'content', fields: ['title', 'color'] },
  columns: { index: 'position' },
  hidden: ['owner_id'],
})

const note: Note = {
  ...{ id: 'a', index: 3, done: true, tags: ['x'] },
  ...{ error: null, title: 'A', color: null },
}

async function withNotes(...all: Partial<Note>[]) {
  const sql = createMemorySql()
  await sql.write([
    {
      sql: `CREATE TABLE notes (id TEXT PRIMARY KEY, position INTEGER, done INTEGER, tags TEXT, error TEXT,
        content TEXT, owner_id TEXT) STRICT`,
    },
  ])
  await sql.write(all.map((one) => notes.insert({ ...note, ...one, owner_id: 'me' })))
  return { sql }
}

test('an entity is read as it was stored, without the hidden columns', async () => {
  const host = await withNotes({}, { id: 'b', done: false, error: { code: 'full' } })

  expect(await notes.find(host, { id: 'a' })).toEqual(note)
  expect(await notes.find(host, { id: 'b', owner_id: 'me' })).toMatchObject({
    done: false,
    error: { code: 'full' },
  })
  expect(await notes.find(host, { id: 'b' }, { sql: 'owner_id = ?', args: ['you'] })).toBeNull()
  expect((await host.sql.read('SELECT position, done, content FROM notes'))[0]).toEqual({
    position: 3,
    done: 1,
    content: '{"title":"A","color":null}',
  })
})

test('rows are selected by values, null and SQL', async () => {
  const host = await withNotes({}, { id: 'b', done: false, error: { code: 'full' } }, { id: 'c', index: 1 })

  expect((await notes.list(host, 'position, id', { done: true })).map(({ id }) => id)).toEqual(['c', 'a'])
  expect((await notes.list(host, 'id LIMIT 1', { error: null })).map(({ id }) => id)).toEqual(['a'])
  expect((await notes.list(host, 'id', 'position > 1', { index: 3 })).map(({ id }) => id)).toEqual(['a', 'b'])
  expect((await notes.list(host, 'id', { id: ['c', 'a', 'x'] })).map(({ id }) => id)).toEqual(['a', 'c'])
  expect(await notes.count(host, { done: true })).toBe(2)
  expect(await notes.countBy(host, 'index', { done: true })).toEqual({ 1: 1, 3: 1 })
})

test('a page leaves out a filter that is not given, and nothing else does', async () => {
  const host = await withNotes({}, { id: 'b', done: false }, { id: 'c' })

  const page = await notes.page(host, { limit: 1, offset: 1 }, 'id', { done: true, id: undefined })
  expect([page.rows.map(({ id }) => id), page.total]).toEqual([['c'], 2])
  await expect(notes.find(host, { id: undefined })).rejects.toThrow('notes is selected by an undefined id')
  expect(() => notes.delete({ id: undefined })).toThrow('undefined id')
})

test('a change sets the given fields; a guard fails if no row matches', async () => {
  const host = await withNotes({}, { id: 'b' })

  await host.sql.write([
    notes.update({ done: false, tags: [], color: 'red' }, { id: 'a', done: true }, 'It was changed'),
    notes.upsert({ ...note, id: 'b', index: 9, title: 'B' }, 'id'),
  ])
  expect(await notes.list(host, 'id')).toEqual([
    { ...note, done: false, tags: [], color: 'red' },
    { ...note, id: 'b', index: 9, title: 'B' },
  ])
  const again = host.sql.write([notes.update({ done: false }, { id: 'a', done: true }, 'It was changed')])
  await expect(again).rejects.toThrow('It was changed')
  await host.sql.write([notes.delete({ id: 'a' }, 'It was deleted')])
  expect(await notes.count(host)).toBe(1)
})

test('a row is inserted only under a condition', async () => {
  const host = await withNotes({})
  const absent = (id: string) => ({ sql: 'NOT EXISTS (SELECT 1 FROM notes WHERE id = ?)', args: [id] })

  await host.sql.write([
    notes.insert({ ...note, id: 'b' }, '', absent('a')),
    notes.insert({ ...note, id: 'c' }, 'ON CONFLICT DO NOTHING', absent('x')),
  ])
  expect((await notes.list(host, 'id')).map(({ id }) => id)).toEqual(['a', 'c'])
})

test('a search takes its text literally', async () => {
  const host = await withNotes({ id: '100%' }, { id: '100x' }, { id: 'A_b' })
  const found = async (text?: string) => (await notes.list(host, 'id', containing(text, 'id', 'error'))).length

  expect([await found('0%'), await found('a_'), await found('x'), await found('')]).toEqual([1, 1, 1, 3])
})

test('a name that is no column is refused', () => {
  expect(() => notes.update({ 'done = 1 --': 1 } as never, { id: 'a' })).toThrow('has no column')
})

test('a row whose unique value another row has is refused', async () => {
  const names = new Table<{ id: string; name: string }>('names', { unique: 'The name is taken' })
  const sql = createMemorySql()
  await sql.write([{ sql: 'CREATE TABLE names (id TEXT PRIMARY KEY, name TEXT UNIQUE) STRICT' }])
  const rows = ['tea', 'milk'].map((name) => names.insert({ id: name, name }))
  await sql.write(rows)

  await expect(sql.write([names.insert({ id: 'other', name: 'tea' })])).rejects.toThrow('The name is taken')
  await expect(sql.write([names.update({ name: 'tea' }, { id: 'milk' }, 'Changed')])).rejects.toThrow('Changed')
  expect(await names.list({ sql }, 'id')).toEqual([
    { id: 'milk', name: 'milk' },
    { id: 'tea', name: 'tea' },
  ])
})

test('SQL with its values is part of a selection, and computes new values', async () => {
  const host = await withNotes({}, { id: 'b', index: 5, done: false }, { id: 'c', index: 1 })
  const small = sql`position < ${5}`

  expect((await notes.first(host, 'position DESC', small))?.id).toBe('a')
  expect(await notes.exists(host, { done: false }, small)).toBe(false)
  await host.sql.write([
    notes.update({ index: sql`position + ${10}`, tags: sql`json_insert(tags, '$[#]', ${'y'})` }, [
      { done: true },
      small,
    ]),
    notes.insert({ ...note, id: 'd', index: sql`(SELECT max(position) + 1 FROM notes)` }),
  ])
  expect(await notes.list(host, 'position')).toMatchObject([
    { id: 'b', index: 5, tags: ['x'] },
    { id: 'c', index: 11, tags: ['x', 'y'] },
    { id: 'a', index: 13, tags: ['x', 'y'] },
    { id: 'd', index: 14 },
  ])
  expect(sql`(${small}) OR ${raw('done')} = ${1}`).toMatchObject({ sql: '(position < ?) OR done = ?', args: [5, 1] })
})

test('the values of one column are read without the others', async () => {
  const host = await withNotes({}, { id: 'b', index: 5, done: false, tags: [] })

  expect(await notes.values(host, 'tags', 'id')).toEqual([['x'], []])
  expect(await notes.values(host, 'index', 'id', { done: false })).toEqual([5])
  expect(await notes.values(host, 'done', 'id')).toEqual([true, false])
})
