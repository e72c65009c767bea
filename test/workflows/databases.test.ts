import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClock } from '../../adapters/clock/clock.ts'
import { createDatabases } from '../../adapters/databases/databases.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as credentials from '../../handlers/credentials/credentials.ts'
import { exportFile } from '../../handlers/workflows/catalog.ts'
import { DatabaseError, type DatabaseServer, type Databases } from '../../runtime/ports/databases.ts'
import { OutboundBlocked } from '../../runtime/ports/outbound.ts'
import { stored } from '../credentials/kit.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, nodeRun, ran, started } from './kit.ts'

const password = 'canary-pass-4711'
const place = mkdtempSync(join(tmpdir(), 'hearthd-nodes-'))
const own = mkdtempSync(join(tmpdir(), 'hearthd-own-'))
const databases = createDatabases({
  clock: createClock(),
  connect: async () => Promise.reject(new Error('no network')),
  private_folder: own,
})
afterAll(async () => {
  await databases.close()
  for (const folder of [place, own]) rmSync(folder, { recursive: true })
})

let host: MemoryHost
let count = 0
beforeEach(async () => {
  host = await testHost({ databases })
  count += 1
  await stored(host, { name: 'Shop', fields: { kind: 'database', url: `sqlite://${place}/${count}.db` } })
})

const node = (params: object, rest: object = {}) => ({
  type: 'database',
  params: { credential: 'Shop', ...params },
  ...rest,
})
const flow = (params: object, rest: object = {}) =>
  drawn({ start: { type: 'trigger.manual' }, node: node(params, rest) }, ['start → node'])
const run = (params: object, input: unknown = {}, rest: object = {}) => ran(host, flow(params, rest), { input })

const tea = { action: 'execute', sql: 'CREATE TABLE tea (id INTEGER PRIMARY KEY, name TEXT UNIQUE, cups INTEGER)' }

describe('a database node', () => {
  beforeEach(async () => {
    expect(await run(tea)).toMatchObject({ status: 'succeeded', output: { success: true, changed: 0 } })
  })

  test('binds the values of expressions, in both languages', async () => {
    const name = `O'Hara'); DROP TABLE tea; --`
    const added = await run({ action: 'execute', sql: "INSERT INTO tea (name) VALUES ('{{ input.name }}')" }, { name })
    expect(added).toMatchObject({ status: 'succeeded', output: { success: true, changed: 1 } })
    const sql = '=js:SELECT name FROM tea WHERE name = {{ $json.name }} AND id = $1'
    expect(await run({ sql, values: ['=input.id'] }, { name, id: 1 })).toMatchObject({ output: [{ name }] })
  })

  test('adds, changes and deletes rows for each item, and as a list', async () => {
    const items = [{ name: 'Assam', cups: 1 }, { name: 'Ceylon' }]
    expect(await run({ action: 'insert', table: 'tea' }, items)).toMatchObject({
      output: [
        { id: 1, name: 'Assam', cups: 1 },
        { id: 2, name: 'Ceylon', cups: null },
      ],
    })
    const upsert = { action: 'upsert', table: 'tea', match: ['name'], rows: '=input.{"name": name, "cups": 7}' }
    expect(await run(upsert, [{ name: 'Ceylon' }, { name: 'Mate' }], { input_mode: 'list' })).toMatchObject({
      output: [
        { id: 2, cups: 7 },
        { name: 'Mate', cups: 7 },
      ],
    })
    const update = { action: 'update', table: 'tea', match: ['id'], rows: { id: 1, cups: 9 } }
    expect(await run(update)).toMatchObject({ output: [{ id: 1, name: 'Assam', cups: 9 }] })
    expect(await run({ action: 'delete', table: 'tea', where: { id: 1 } })).toMatchObject({ output: [{ id: 1 }] })
    expect(await run({ sql: 'SELECT name FROM tea ORDER BY id', limit: 1 })).toMatchObject({
      output: [{ name: 'Ceylon' }],
    })
    expect(await run({ action: 'tables' })).toMatchObject({ output: [{ schema: 'main', name: 'tea', type: 'table' }] })
  })

  test('reads and deletes, although it has rows that another action would write', async () => {
    await run({ action: 'insert', table: 'tea', rows: [{ name: 'Assam' }, { name: 'Sencha' }] })
    expect(await run({ action: 'delete', table: 'tea', where: { name: 'Assam' }, rows: [] })).toMatchObject({
      output: [{ name: 'Assam' }],
    })
    const rows = [{ name: 'Mint' }]
    expect(await run({ sql: 'SELECT name FROM tea', rows })).toMatchObject({ output: [{ name: 'Sencha' }] })
    expect(await run({ action: 'insert', table: 'tea', rows: [] })).toMatchObject({ output: { changed: 0 } })
  })

  test.each([
    [{ sql: 'DELETE FROM tea' }, 'database', 'readonly'],
    [{ sql: 'SELECT $1' }, 'sql', '$1 has no value'],
    [{ sql: '' }, 'invalid_params', 'Statement is required'],
    [{ action: 'delete', table: 'tea' }, 'sql', 'say which rows to delete'],
    [{ action: 'upsert', table: 'tea', rows: { a: 1 } }, 'invalid_params', 'Columns to match is required'],
    [{ sql: 'SELECT 1', credential: '' }, 'credential', 'Credential is required'],
    [{ sql: 'SELECT * FROM coffee' }, 'database', 'no such table: coffee'],
  ])('refuses %j', async (params, code, message) => {
    expect(await run(params)).toMatchObject({
      status: 'failed',
      error: { code, message: expect.stringContaining(message) },
    })
  })
})

describe('a server', () => {
  const url = `postgres://ada:${password}@10.0.0.5/shop`
  let asked: { server: DatabaseServer; signal: AbortSignal }[]
  let answer: () => Promise<never>
  beforeAll(() => {
    asked = []
  })
  beforeEach(async () => {
    asked.length = 0
    answer = () => Promise.reject(new DatabaseError('no answer', { definite: false, permanent: false }))
    const fake: Databases = {
      run(server, _, signal) {
        asked.push({ server, signal })
        return answer()
      },
      command: () => answer(),
    }
    host = await testHost({ databases: fake })
  })
  const make = (caller = adminCaller) => stored(host, { name: 'Shop', fields: { kind: 'database', url } }, caller)

  test('of a credential that an administrator entered may be private', async () => {
    const made = await make()
    expect(made).toMatchObject({
      hint: 'postgres://ada@10.0.0.5/shop',
      fields: { url: 'postgres://ada@10.0.0.5/shop', password: { configured: true, hint: '…4711' } },
    })
    await run({ sql: 'SELECT 1' })
    expect(asked[0]?.server).toMatchObject({
      host: '10.0.0.5',
      username: 'ada',
      password,
      tls: 'none',
      is_trusted: true,
    })
    const rows = JSON.stringify([made, await host.sql.read('SELECT * FROM credentials')])
    expect(rows).not.toContain(password)
  })

  test('of a credential of somebody else must be public', async () => {
    await make({ ...adminCaller, scopes: ['read', 'write'] })
    answer = () => Promise.reject(new OutboundBlocked('private addresses are not allowed'))
    expect(await run({ sql: 'SELECT 1' })).toMatchObject({
      status: 'failed',
      error: { code: 'blocked', message: expect.stringContaining('An administrator can allow it') },
    })
    expect(asked[0]?.server.is_trusted).toBe(false)
  })

  test('that is another one needs the password again', async () => {
    const { id } = await make()
    const edit = (fields: object) =>
      call(credentials.update, host, { params: { id }, body: { fields: { kind: 'database', ...fields } } })
    expect((await edit({ url: 'postgres://bob@10.0.0.5/other' })).status).toBe(200)
    const moved = await edit({ url: 'postgres://bob@evil.example.com/other' })
    expect(moved.status).toBe(422)
    expect(JSON.stringify(await moved.json())).toContain('fields.password')
    await run({ sql: 'SELECT 1' })
    expect(asked[0]?.server).toMatchObject({ username: 'bob', password })
  })

  test('is tried by the test of its credential, which says why it does not work', async () => {
    const { id } = await make()
    answer = () =>
      Promise.reject(new DatabaseError(`10.0.0.5:5432 answered: no ${password}`, { definite: true, permanent: true }))
    const tested = await (await call(credentials.test, host, { params: { id }, body: {} })).json()
    expect(tested.last_test).toMatchObject({ ok: false, detail: '10.0.0.5:5432 answered: no [redacted]' })
  })

  test('is not asked again unasked, if it is unknown what it has done', async () => {
    await make()
    const changing = { action: 'execute', sql: 'DELETE FROM tea' }
    const { id } = await created(host, flow(changing, { retry: { max_attempts: 3, delay_seconds: 0 } }))
    const begun = await started(host, id)
    await workOff(host)
    expect((await execution(host, begun)).waiting_for).toMatchObject([{ node_id: 'node', kind: 'repeat' }])
    expect(asked).toHaveLength(1)
    expect(await run({ sql: 'SELECT 1' }, {}, { retry: { max_attempts: 3, delay_seconds: 0 } })).toMatchObject({
      status: 'failed',
    })
    expect(asked).toHaveLength(4)
  })

  test('and its password are in no run, log or export', async () => {
    await make()
    answer = () => Promise.reject(new DatabaseError(`refused ${password}`, { definite: true, permanent: true }))
    const workflow = await created(host, flow({ sql: 'SELECT 1' }))
    const begun = await started(host, workflow.id)
    await workOff(host)
    const shown = [
      await execution(host, begun),
      await nodeRun(host, { id: begun }, 2),
      await (await call(exportFile, host, { params: { id: workflow.id } })).text(),
      await host.sql.read('SELECT * FROM workflow_node_runs'),
      await host.log.recent(),
    ]
    expect(JSON.stringify(shown)).not.toContain(password)
    expect(JSON.stringify(shown)).toContain('refused [redacted]')
  })
})

describe('a redis node', () => {
  const commands: string[][] = []
  const replies: Record<string, unknown> = {
    TYPE: 'hash',
    HGETALL: ['a', '1', 'b', '2'],
    GET: 'text',
    INCR: 5,
    LPOP: '{"x":1}',
    SCAN: ['0', ['b', 'a']],
    INFO: '# Server\r\nredis_version:7.0.1\r\nuptime:12\r\ndb0:keys=1,expires=0\r\n',
    LLEN: 3,
  }
  beforeEach(async () => {
    commands.length = 0
    const fake: Databases = {
      run: () => Promise.reject(new Error('no SQL')),
      async command(_, sent) {
        commands.push(...sent.map((command) => [...command]))
        return sent.map(([name = '']) => replies[name] ?? 'OK')
      },
    }
    host = await testHost({ databases: fake })
    await stored(host, { name: 'Cache', fields: { kind: 'database', url: 'rediss://cache.example.com' } })
  })
  const redis = (params: object, input: unknown = { id: 1 }) =>
    ran(
      host,
      drawn(
        { start: { type: 'trigger.manual' }, node: { type: 'redis', params: { credential: 'Cache', ...params } } },
        ['start → node'],
      ),
      { input },
    )

  test.each([
    [
      { action: 'get', key: 'k', field: 'a.b' },
      { a: { b: { a: '1', b: '2' } } },
      [
        ['TYPE', 'k'],
        ['HGETALL', 'k'],
      ],
    ],
    [{ action: 'get', key: 'k', type: 'string' }, { value: 'text' }, [['GET', 'k']]],
    [
      { action: 'set', key: 'k {{ input.id }}', value: 'a b', expires_seconds: 60 },
      { id: 1 },
      [
        ['SET', 'k 1', 'a b'],
        ['EXPIRE', 'k 1', '60'],
      ],
    ],
    [
      { action: 'set', key: 'k', value: { a: 1, b: [2] } },
      { id: 1 },
      [
        ['DEL', 'k'],
        ['HSET', 'k', 'a', '1', 'b', '[2]'],
      ],
    ],
    [
      { action: 'set', key: 'k', value: ['x', 2] },
      { id: 1 },
      [
        ['DEL', 'k'],
        ['RPUSH', 'k', 'x', '2'],
      ],
    ],
    [
      { action: 'set', key: 'k', value: ['x'], type: 'set' },
      { id: 1 },
      [
        ['DEL', 'k'],
        ['SADD', 'k', 'x'],
      ],
    ],
    [{ action: 'delete', key: 'k' }, { id: 1 }, [['DEL', 'k']]],
    [{ action: 'increment', key: 'k' }, { k: 5 }, [['INCR', 'k']]],
    [{ action: 'push', key: 'l', value: { a: 1 }, from_end: true }, { id: 1 }, [['RPUSH', 'l', '{"a":1}']]],
    [{ action: 'pop', key: 'l' }, { value: { x: 1 } }, [['LPOP', 'l']]],
    [{ action: 'publish', key: 'news', value: 'hi' }, { id: 1 }, [['PUBLISH', 'news', 'hi']]],
    [
      { action: 'keys', key: '*', with_values: false },
      { keys: ['a', 'b'] },
      [['SCAN', '0', 'MATCH', '*', 'COUNT', '1000']],
    ],
    [{ action: 'info' }, { redis_version: '7.0.1', uptime: 12, db0: { keys: 1, expires: 0 } }, [['INFO']]],
    [{ action: 'command', command: ['LLEN', 'l; DEL x'] }, { value: 3 }, [['LLEN', 'l; DEL x']]],
  ])('%j', async (params, output, sent) => {
    expect(await redis(params)).toMatchObject({ status: 'succeeded', output })
    expect(commands).toEqual(sent)
  })

  test('lists keys with their values', async () => {
    expect((await redis({ action: 'keys', key: '*' })).output).toEqual({ a: { a: '1', b: '2' }, b: { a: '1', b: '2' } })
  })

  test('needs a key, and a credential for Redis', async () => {
    expect(await redis({ action: 'get' })).toMatchObject({ error: { message: 'Key is required' } })
    await stored(host, { name: 'Shop', fields: { kind: 'database', url: 'mysql://db.example.com/x' } })
    expect(await redis({ action: 'get', key: 'k', credential: 'Shop' })).toMatchObject({
      error: { message: 'This credential is for a database of SQL: use the node Database' },
    })
  })
})
