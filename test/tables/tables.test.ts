import { beforeEach, describe, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as rows from '../../handlers/tables/rows.ts'
import * as tables from '../../handlers/tables/tables.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { registerUser } from '../../runtime/auth/users.ts'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { call } from '../support/call.ts'
import { adminCaller, setUpAdmin, testHost } from '../support/host.ts'

let host: MemoryHost
let id: string
beforeEach(async () => {
  host = await testHost()
  id = (await send(tables.create, { name: 'People', columns }, {})).id
})

const columns = [
  { name: 'Name' },
  { name: 'Age', type: 'number' },
  { name: 'Member', type: 'boolean' },
  { name: 'Born', type: 'date' },
  { name: 'Extra', type: 'json' },
]
const ada = { Name: 'Ada', Age: 36, Member: true, Born: '1815-12-10', Extra: { a: [1] } }
const none = { Age: null, Member: null, Born: null, Extra: null }

interface Options {
  query?: Record<string, string>
  params?: Record<string, string>
  caller?: Caller
}

async function answer(endpoint: Endpoint, body?: unknown, options: Options = {}) {
  const response = await call(endpoint, host, {
    params: { id },
    ...(body !== undefined && { body }),
    ...options,
  } as Parameters<typeof call>[2])
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}

async function send(...[endpoint, body, options]: Parameters<typeof answer>) {
  const { status, body: value } = await answer(endpoint, body, options)
  if (status >= 300) throw new Error(JSON.stringify(value))
  return value
}

const insert = (...list: object[]) => send(rows.insert, { rows: list })
const all = async (query: Record<string, string> = {}) => (await send(rows.list, undefined, { query })).rows
const names = async (query?: Record<string, string>) => (await all(query)).map(({ Name }: typeof ada) => Name)

describe('rows', () => {
  test('have the values of their columns', async () => {
    expect(await insert(ada, { Name: 'bob', Age: '7.5', Member: 'no' })).toMatchObject({ ids: [1, 2] })
    expect(await all()).toEqual([
      { id: 1, ...ada },
      { id: 2, ...none, Name: 'bob', Age: 7.5, Member: false },
    ])
    expect(await send(tables.show)).toMatchObject({ row_count: 2 })
    expect(host.events).toEqual(['table.created', 'table.rows.changed'])
  })

  test('are refused together if one value does not fit', async () => {
    const { status, body } = await answer(rows.insert, {
      rows: [ada, { Name: {}, Age: 'x', Born: '2026-02-30' }, { Nope: 1 }],
    })
    expect([status, body.issues.map(({ path }: { path: string }) => path)]).toEqual([
      422,
      ['rows.1.Name', 'rows.1.Age', 'rows.1.Born', 'rows.2.Nope'],
    ])
    expect(await all()).toEqual([])
  })

  test('have times in UTC, and no value for an empty number', async () => {
    await insert({ Name: '', Age: '', Born: '2026-01-31T12:00:00+02:00' })
    expect(await all()).toEqual([{ id: 1, ...none, Name: '', Born: '2026-01-31T10:00:00.000Z' }])
  })

  test('change by id or filter; without either nothing changes', async () => {
    await insert(ada, { Name: 'bob' }, { Name: 'Cy' })
    await send(rows.edit, { ids: [2], values: { Age: 8 } })
    const filter = [{ column: 'Age', is: 'empty' }]
    expect(await send(rows.edit, { filter, values: { Member: true } })).toMatchObject({ rows: 1 })
    expect((await all()).map(({ Age, Member }: typeof ada) => [Age, Member])).toEqual([
      [36, true],
      [8, null],
      [null, true],
    ])
    expect((await answer(rows.edit, { values: { Age: 1 } })).status).toBe(422)
    expect((await answer(rows.removeSome, {})).status).toBe(422)
    expect(await send(rows.removeSome, { filter: [] })).toMatchObject({ rows: 3 })
  })

  test('are found by the exact value of a column and changed, or added', async () => {
    await insert(ada)
    const sent = [{ Name: 'Ada', Age: 37 }, { Name: 'ADA' }, { Name: 'Cy', Age: 1 }, { Name: 'Cy', Member: true }]
    expect(await send(rows.upsert, { by: 'Name', rows: sent })).toMatchObject({
      updated: 1,
      inserted: [2, 3],
    })
    expect(await all()).toEqual([
      { id: 1, ...ada, Age: 37 },
      { id: 2, ...none, Name: 'ADA' },
      { id: 3, ...none, Name: 'Cy', Age: 1, Member: true },
    ])
    expect((await answer(rows.upsert, { by: 'Name', rows: [{ Age: 1 }] })).status).toBe(422)
  })
})

describe('a list', () => {
  beforeEach(() => insert(ada, { Name: 'bob', Age: 8, Born: '2020-01-01' }, { Name: 'Zoe' }, { Name: 'a%' }))

  test('is in the order of a column, texts without regard to case', async () => {
    expect(await names({ sort: 'Name' })).toEqual(['a%', 'Ada', 'bob', 'Zoe'])
    expect(await names({ sort: '-Age', limit: '2' })).toEqual(['Ada', 'bob'])
    expect(await names({ sort: '-id', limit: '1', offset: '1' })).toEqual(['Zoe'])
  })

  test.each([
    ['equals', { column: 'Name', is: 'equals', value: 'bob' }, ['bob']],
    ['equals nothing', { column: 'Age', is: 'equals', value: null }, ['Zoe', 'a%']],
    ['not equals', { column: 'Age', is: 'not_equals', value: 8 }, ['Ada', 'Zoe', 'a%']],
    ['contains', { column: 'Name', is: 'contains', value: '%' }, ['a%']],
    ['greater', { column: 'Age', is: 'greater', value: '8' }, ['Ada']],
    ['at most', { column: 'Born', is: 'at_most', value: '2020-01-01' }, ['Ada', 'bob']],
    ['one of', { column: 'Name', is: 'one_of', value: ['Zoe', 'bob'] }, ['bob', 'Zoe']],
    ['true', { column: 'Member', value: true }, ['Ada']],
    ['not empty', { column: 'Extra', is: 'not_empty' }, ['Ada']],
  ])('is filtered: %s', async (_, filter, expected) => {
    expect(await names({ filter: JSON.stringify([filter]) })).toEqual(expected)
  })

  test('is filtered by any of several, and by a text', async () => {
    const filter = JSON.stringify([
      { column: 'Name', value: 'Zoe' },
      { column: 'Age', is: 'less', value: 10 },
    ])
    expect(await names({ filter, match: 'any' })).toEqual(['bob', 'Zoe'])
    expect(await names({ search: '1815' })).toEqual(['Ada'])
    expect((await send(rows.list, undefined, { query: { search: 'o' } })).total).toBe(2)
  })

  test.each([
    ['no column', { filter: '[{"column":"Nope"}]' }, 400],
    ['no order', { sort: 'Nope' }, 400],
    ['no JSON', { filter: 'x' }, 400],
    ['no number', { filter: '[{"column":"Age","value":"x"}]' }, 400],
  ])('says what is wrong: %s', async (_, query, status) => {
    expect((await answer(rows.list, undefined, { query: query as Record<string, string> })).status).toBe(status)
  })
})

describe('history', () => {
  const history = async () => (await send(rows.history)).history
  const undo = (change_id: string) => answer(rows.undo, { change_id })

  test('names each change, and undoes it', async () => {
    const first = await insert(ada, { Name: 'bob' })
    const edited = await send(rows.edit, { ids: [1], values: { Age: 1 } })
    await send(rows.removeSome, { ids: [1, 2] })
    expect((await history()).map(({ action, rows: count }: Record<string, unknown>) => [action, count])).toEqual([
      ['delete', 2],
      ['update', 1],
      ['insert', 2],
    ])
    const [deleted] = await history()
    expect((await undo(edited.change_id)).status).toBe(409)
    expect((await undo(deleted.id)).body).toMatchObject({ rows: 2 })
    expect(await all()).toEqual([
      { id: 1, ...ada, Age: 1 },
      { id: 2, ...none, Name: 'bob' },
    ])
    expect((await undo(deleted.id)).status).toBe(409)
    expect((await undo(edited.change_id)).status).toBe(200)
    expect(await all()).toMatchObject([{ id: 1, ...ada }, { id: 2 }])
    expect((await undo(first.change_id)).status).toBe(200)
    expect(await all()).toEqual([])
    expect(await send(tables.show)).toMatchObject({ row_count: 0, bytes: 0 })
  })

  test('undoes an undoing while nothing has changed since', async () => {
    const { change_id } = await insert(ada)
    const undone = (await undo(change_id)).body
    await undo(undone.change_id)
    expect(await all()).toEqual([{ id: 1, ...ada }])
    expect((await undo(change_id)).status).toBe(200)
    expect((await undo(undone.change_id)).status).toBe(409)
  })

  test('keeps the last hundred changes', async () => {
    for (let count = 0; count < 102; count += 1) await insert({ Age: count })
    expect(await send(rows.history, undefined, { query: { limit: '1' } })).toMatchObject({ total: 100 })
    expect(await host.sql.read('SELECT count(*) AS count FROM data_change_rows')).toEqual([{ count: 100 }])
  })
})

describe('columns', () => {
  const change = (next: object[]) => answer(tables.update, { columns: next })

  test('are renamed, added and removed; the other values stay', async () => {
    await insert(ada)
    const { status, body } = await change([
      { id: 'c2', name: 'Years', type: 'number' },
      { name: 'Name' },
      { name: 'City' },
    ])
    expect([status, body.columns.map((one: { id: string }) => one.id)]).toEqual([200, ['c2', 'c1', 'c6']])
    expect(await all()).toEqual([{ id: 1, Years: 36, Name: 'Ada', City: null }])
    const [{ id: change_id }] = (await send(rows.history)).history
    expect((await answer(rows.undo, { change_id })).status).toBe(200)
  })

  test.each([
    ['keep their type', [{ id: 'c2', name: 'Age', type: 'text' }]],
    ['have different names', [{ name: 'A' }, { name: 'a' }]],
    ['are not named id', [{ name: 'ID' }]],
    ['exist if their id is named', [{ id: 'c99', name: 'A' }]],
    ['are at least one', []],
  ])('%s', async (_, next) => {
    expect((await change(next)).status).toBe(422)
  })

  test('of a table that is deleted are gone with its rows', async () => {
    await insert(ada)
    await send(tables.remove)
    const left = await host.sql.read("SELECT name FROM sqlite_master WHERE name LIKE 'data_01%'")
    expect([left, await host.sql.read('SELECT * FROM data_change_rows')]).toEqual([[], []])
  })
})

describe('CSV', () => {
  const upload = async (text: string | Uint8Array<ArrayBuffer>) => answer(rows.upload, text)
  const download = async () => (await answer(rows.download)).body

  test('goes out and comes in', async () => {
    await insert(ada, { Name: 'a "b"\nc', Age: -1 }, { Name: '=1+1' })
    const text = await download()
    expect(text).toBe(
      'Name,Age,Member,Born,Extra\r\nAda,36,true,1815-12-10,"{""a"":[1]}"\r\n"a ""b""\nc",-1,,,\r\n"\'=1+1",,,,\r\n',
    )
    const before = (await all()).map(({ id: _, ...values }: typeof ada & { id: number }) => values)
    await send(rows.removeSome, { filter: [] })
    expect((await upload(text)).body).toMatchObject({ rows: 3 })
    expect((await all()).map(({ id: _, ...values }: typeof ada & { id: number }) => values)).toEqual(before)
  })

  test('adds the columns that the table lacks, with the type of the first rows', async () => {
    await upload('Name;Score;Paid;Since;City\r\nAda;1,5;yes;2026-01-31;Rome\r\n')
    const { columns: next } = await send(tables.show)
    expect(next.slice(5).map(({ type }: { type: string }) => type)).toEqual(['text', 'boolean', 'date', 'text'])
  })

  test('finds the delimiter of a few rows that end with an empty line', async () => {
    expect((await upload('Name;Age\nZoe;36\n"Bo; b";7\n')).body).toMatchObject({ rows: 2 })
    expect((await all()).slice(-2)).toMatchObject([
      { Name: 'Zoe', Age: 36 },
      { Name: 'Bo; b', Age: 7 },
    ])
  })

  test('of many rows is one change, read in pieces', async () => {
    const lines = Array.from({ length: 2_500 }, (_, index) => `Person ${index},${index}`)
    expect((await upload(`Name,Age\n${lines.join('\n')}`)).body).toMatchObject({ rows: 2_500 })
    expect(await send(rows.list, undefined, { query: { sort: '-Age', limit: '1' } })).toMatchObject({
      rows: [{ Name: 'Person 2499' }],
      total: 2_500,
    })
    expect((await send(rows.history)).history).toMatchObject([{ action: 'import', rows: 2_500 }])
  })

  test.each([
    ['a value of another type', `Name,Age\n${'a,1\n'.repeat(1_500)}b,x\n`, 'row 1501'],
    ['more values than columns', 'Name\na,b\n', 'more values in row 1'],
    ['a column twice', 'Name,Name\na,b\n', 'twice'],
    ['a column that cannot be', 'Name,id\na,1\n', 'cannot be added'],
    ['an open quote', 'Name\n"a\n', 'not CSV'],
    ['other bytes', new Uint8Array([0x4e, 0x0a, 0xff, 0xfe]), 'UTF-8'],
  ])('with %s adds nothing', async (_, text, message) => {
    const { status, body } = await upload(text as string)
    expect([status, body.message]).toEqual([422, expect.stringContaining(message)])
    expect(await all()).toEqual([])
  })
})

test('who it is shared with reads its rows, and changes them if its owner says so', async () => {
  const { user } = await setUpAdmin(host)
  const { id: ben } = await registerUser(localContext(host), {
    ...{ username: 'ben', password: 'ten characters', role: 'user' },
  })
  const admin = { ...adminCaller, user_id: user.id }
  const caller = {
    ...adminCaller,
    user_id: ben,
    role: 'user' as const,
    scopes: ['read', 'write'] as const,
  } as Caller
  id = (await send(tables.create, { name: 'Ours', columns, shared_with: [ben] }, { caller: admin, params: {} })).id
  await send(rows.insert, { rows: [ada] }, { caller: admin })

  expect(await send(rows.list, undefined, { caller })).toMatchObject({ total: 1 })
  expect((await answer(rows.insert, { rows: [ada] }, { caller })).status).toBe(403)
  await send(tables.update, { shared_access: 'write' }, { caller: admin })
  expect((await answer(rows.insert, { rows: [ada] }, { caller })).status).toBe(200)
  expect((await answer(tables.update, { name: 'Mine' }, { caller })).status).toBe(403)
  expect((await answer(tables.remove, undefined, { caller })).status).toBe(403)
})
