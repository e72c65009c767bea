import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../adapters/clock/clock.ts'
import { createDatabases } from '../../../adapters/databases/databases.ts'
import { ConnectionPool, type Pooled } from '../../../adapters/databases/pool.ts'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { createOutbound } from '../../../adapters/outbound/outbound.ts'
import {
  type Dialect,
  insertStatements,
  tablesStatement,
  updateStatements,
} from '../../../runtime/databases/dialect.ts'
import { statementsOf } from '../../../runtime/databases/statement.ts'
import type { DatabaseRun, DatabaseServer, Databases } from '../../../runtime/ports/databases.ts'
import { type DatabaseService, databaseMissing, openDatabaseServer } from '../../support/databases.ts'

const outbound = createOutbound()
const folder = mkdtempSync(join(tmpdir(), 'hearthd-databases-'))
const settings = { connect: outbound.connect, private_folder: join(folder) }
const databases = createDatabases({ ...settings, clock: createClock() })
const never = new AbortController().signal

afterAll(async () => {
  await databases.close()
  await outbound.close()
  rmSync(folder, { recursive: true })
})

const options = { read_only: false, max_rows: 100, long_as_text: false }

/** Runs a text in which `{n}` is the value at that place. */
async function sql(server: DatabaseServer, text: string, { values = [], ...rest }: Sent = {}) {
  const parts = text.split(/\{(\d+)\}/).map((part, index) => (index % 2 === 0 ? part : values[Number(part)]))
  const statements = statementsOf(parts, [], server.engine as Dialect)
  const { through = databases, signal = never, ...own } = rest
  return through.run(server, { ...options, ...own, statements }, signal)
}
interface Sent extends Partial<DatabaseRun> {
  values?: unknown[]
  signal?: AbortSignal
  through?: Databases
}

const dialects = {
  postgres: {
    columns: 'id bigint PRIMARY KEY, name text, ok boolean, data jsonb, day date, bytes bytea, price numeric(9,2)',
    sleep: 'SELECT pg_sleep(60)',
    running: "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'",
    many: 'SELECT generate_series(1, 1000000) AS x',
    yes: true,
    bytes: "'\\x6869'",
  },
  mysql: {
    columns: 'id bigint PRIMARY KEY, name text, ok boolean, data json, day date, bytes blob, price decimal(9,2)',
    sleep: 'SELECT SLEEP(60)',
    running: "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'",
    many: 'SELECT seq AS x FROM seq_1_to_1000000',
    yes: 1,
    bytes: "'hi'",
  },
}

describe.each(['postgres', 'mysql'] as const)('%s', (kind) => {
  const missing = databaseMissing(kind)
  const own = dialects[kind]
  let service: DatabaseService
  let server: DatabaseServer

  beforeAll(async () => {
    if (missing) return
    service = await openDatabaseServer(kind)
    server = service.server
    await sql(server, `CREATE TABLE tea (${own.columns})`)
  }, 60_000)
  afterAll(async () => service?.[Symbol.asyncDispose]())

  test.skipIf(missing)('values are bound, and rows are JSON', async () => {
    const hostile = `O'Hara"; DROP TABLE tea; -- \\`
    const values = [1, hostile, true, { a: [1, 'ä'] }, '2026-02-03', 1.5]
    await sql(server, `INSERT INTO tea VALUES ({0}, {1}, {2}, {3}, {4}, ${own.bytes}, {5})`, { values })
    const { rows } = await sql(server, `SELECT * FROM tea WHERE name = '{0}' AND id IN ({1})`, {
      values: [hostile, [1, 2]],
    })
    const row = {
      id: 1,
      name: hostile,
      ok: own.yes,
      data: { a: [1, 'ä'] },
      day: '2026-02-03',
      bytes: 'aGk=',
      price: '1.50',
    }
    expect(rows).toEqual([row])
  })

  test.skipIf(missing)('an integer that no number can hold stays exact', async () => {
    const long = '9007199254740993'
    await sql(server, 'INSERT INTO tea (id, name) VALUES ({0}, {1})', { values: [long, 'long'] })
    expect((await sql(server, "SELECT id FROM tea WHERE name = 'long'")).rows).toEqual([{ id: long }])
    const asText = await sql(server, 'SELECT id FROM tea WHERE id = 1', { long_as_text: true })
    expect(asText.rows).toEqual([{ id: '1' }])
  })

  test.skipIf(missing)('rows are added, changed and found again', async () => {
    const target = { table: 'tea', dialect: kind }
    const run = (statements: DatabaseRun['statements']) => databases.run(server, { ...options, statements }, never)
    await run(insertStatements(target, [{ id: 10, name: 'Assam' }, { id: 11 }]))
    await run(insertStatements(target, [{ id: 10, name: 'Ceylon' }], { match: ['id'] }))
    await run(updateStatements(target, [{ id: 11, name: 'Oolong', data: [1] }], ['id']))
    await run(insertStatements(target, [{ id: 11, name: 'lost' }], { skip_existing: true }))
    const { rows } = await sql(server, 'SELECT id, name, data FROM tea WHERE id IN (10, 11) ORDER BY id')
    expect(rows).toEqual([
      { id: 10, name: 'Ceylon', data: null },
      { id: 11, name: 'Oolong', data: [1] },
    ])
    const tables = await run([tablesStatement(kind)])
    expect(tables.rows).toContainEqual({ schema: kind === 'mysql' ? 'shop' : 'public', name: 'tea', type: 'table' })
  })

  test.skipIf(missing)('several statements are all or nothing', async () => {
    const text = "INSERT INTO tea (id) VALUES (20); INSERT INTO tea (id) VALUES (21); INSERT INTO nothing VALUES (';')"
    await expect(sql(server, text)).rejects.toMatchObject({ definite: true, permanent: true })
    expect((await sql(server, 'SELECT id FROM tea WHERE id >= 20 AND id < 30')).rows).toEqual([])
  })

  test.skipIf(missing)('nothing is changed when it only reads', async () => {
    const change = sql(server, 'DELETE FROM tea', { read_only: true })
    await expect(change).rejects.toThrow('choose “Execute a statement”')
    expect((await sql(server, 'SELECT COUNT(*) AS n FROM tea')).rows[0]?.n).toBeGreaterThan(0)
  })

  test.skipIf(missing)('only as many rows are read as were asked for', async () => {
    const { rows } = await sql(server, own.many, { read_only: true, max_rows: 3 })
    expect(rows).toEqual([{ x: 1 }, { x: 2 }, { x: 3 }])
    expect((await sql(server, 'SELECT 1 AS x', { read_only: true })).rows).toEqual([{ x: 1 }])
  })

  test.skipIf(missing)('an aborted statement ends on the server', async () => {
    const stop = new AbortController()
    const sleeping = sql(server, own.sleep, { signal: stop.signal })
    await expect.poll(async () => (await sql(server, own.running)).rows.length).toBe(1)
    stop.abort(new Error('stopped'))
    await expect(sleeping).rejects.toThrow('stopped')
    await expect.poll(async () => (await sql(server, own.running)).rows.length).toBe(0)
  })

  test.skipIf(missing)('a cancelled statement ends, although the server is gone', async () => {
    const proxy = createServer((socket) => {
      const behind = connect(server.port, server.host)
      socket.on('error', () => undefined).on('data', (bytes) => behind.write(bytes))
      behind.on('data', (bytes) => proxy.listening && socket.write(bytes))
      socket.on('close', () => behind.destroy())
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    const stop = new AbortController()
    const through = createDatabases({ ...settings, clock: createClock() })
    const sleeping = sql({ ...server, port }, own.sleep, { signal: stop.signal, through })
    sleeping.catch(() => undefined)
    await expect.poll(async () => (await sql(server, own.running)).rows.length).toBe(1)
    proxy.close()
    stop.abort(new Error('stopped'))
    await expect(sleeping).rejects.toThrow('stopped')
    expect(through.connections()).toBe(0)
    await through.close()
  })

  test.skipIf(missing).each([
    [{ password: 'wrong-one-0815' }, { permanent: true }],
    [{ database: 'nowhere' }, { permanent: true }],
    [{ port: 1 }, { permanent: false }],
    [{ host: 'nowhere.invalid' }, { permanent: true }],
    [{ tls: 'checked' as const }, { permanent: true }],
  ])('nothing was sent with %j, and the message has no password', async (change, certainty) => {
    const wrong = { ...server, ...change }
    const failure: Error = await sql(wrong, 'SELECT 1').then(
      () => new Error('it worked'),
      (thrown) => thrown,
    )
    expect(failure).toMatchObject({ name: 'DatabaseError', definite: true, ...certainty })
    expect(failure.message).toContain(
      'port' in change || 'host' in change ? 'Cannot connect to' : `127.0.0.1:${server.port}`,
    )
    expect(failure.message).not.toContain(wrong.password)
  })

  test.skipIf(missing)('the guard refuses a private address that no administrator named', async () => {
    const refused = sql({ ...server, is_trusted: false }, 'SELECT 1')
    await expect(refused).rejects.toMatchObject({ name: 'OutboundBlocked' })
  })

  test.skipIf(missing)('connections are shared, limited, and closed when idle', async () => {
    const clock = createFakeClock()
    const limited = createDatabases({ ...settings, clock, idle_ms: 1_000 })
    const runs = Array.from({ length: 12 }, (_, n) =>
      sql(server, 'SELECT {0} AS n', { values: [String(n)], through: limited }),
    )
    expect((await Promise.all(runs)).map(({ rows }) => Number(rows[0]?.n))).toEqual([...Array(12).keys()])
    expect(limited.connections()).toBe(4)
    await clock.advance(1_000)
    expect(limited.connections()).toBe(0)
  })

  test.skipIf(missing)(
    'it is unknown what a server has done that was lost',
    async () => {
      const other = await openDatabaseServer(kind)
      const sleeping = sql(other.server, own.sleep)
      sleeping.catch(() => undefined)
      await expect.poll(async () => (await sql(other.server, own.running)).rows.length).toBe(1)
      await other[Symbol.asyncDispose]()
      await expect(sleeping).rejects.toMatchObject({ name: 'DatabaseError', definite: false })
    },
    60_000,
  )
})

describe('a connection', () => {
  /** A server that does with each connection what it says. */
  async function serving(engine: DatabaseServer['engine'], serve: (socket: Socket) => void) {
    const listener = createServer(serve)
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const server: DatabaseServer = {
      ...{ engine, host: '127.0.0.1', port, database: '', username: '', password: '' },
      ...{ tls: 'none', is_trusted: true },
    }
    return { server, listener }
  }
  const ask = (through: Databases, server: DatabaseServer, signal = never) =>
    server.engine === 'redis'
      ? through.command(server, [['GET', 'tea']], signal)
      : sql(server, 'SELECT 1', { through, signal })

  test.each(['postgres', 'mysql', 'redis'] as const)('%s: a sign-in without an answer ends', async (engine) => {
    const { server, listener } = await serving(engine, (socket) => socket.on('error', () => undefined))
    const clock = createFakeClock()
    const through = createDatabases({ ...settings, clock })
    const late = ask(through, server)
    late.catch(() => undefined)
    await once(listener, 'connection')
    await clock.advance(10_000)
    await expect(late).rejects.toMatchObject({ name: 'DatabaseError', definite: true, permanent: false })
    const stop = new AbortController()
    const stopped = ask(through, server, stop.signal)
    stopped.catch(() => undefined)
    await once(listener, 'connection')
    stop.abort(new Error('stopped'))
    await expect(stopped).rejects.toThrow('stopped')
    await through.close()
    listener.close()
  })

  test('redis: a reply without end is not read to the end', async () => {
    const { server, listener } = await serving('redis', (socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (bytes) => {
        if (!/get/i.test(String(bytes))) return socket.write('+PONG\r\n')
        socket.write('$400000000\r\n')
        const more = () => {
          while (!socket.destroyed && socket.write(Buffer.alloc(1_000_000))) {}
        }
        socket.on('drain', more)
        more()
      })
    })
    await expect(ask(databases, server)).rejects.toMatchObject({ name: 'DatabaseError', permanent: true })
    listener.close()
  })

  test('is closed when idle, also after a task that was cancelled before it began', async () => {
    const clock = createFakeClock()
    const pool = new ConnectionPool<Pooled>({ clock, idle_ms: 1_000, max: 1 })
    const open = async () => ({ isUsable: () => true, close: () => undefined })
    const use = (signal: AbortSignal) => pool.use('server', open, { task: async () => 'done', signal })
    await use(never)
    await expect(use(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
    expect(pool.size).toBe(1)
    await clock.advance(1_000)
    expect(pool.size).toBe(0)
  })
})

describe('redis', () => {
  const missing = databaseMissing('redis')
  let service: DatabaseService

  beforeAll(async () => {
    if (!missing) service = await openDatabaseServer('redis')
  })
  afterAll(async () => service?.[Symbol.asyncDispose]())

  test.skipIf(missing)('sends commands, several as one transaction', async () => {
    const send = (...commands: string[][]) => databases.command(service.server, commands, never)
    expect(await send(['SET', 'a b', 'x"\r\n'])).toEqual(['OK'])
    expect(await send(['GET', 'a b'], ['TYPE', 'a b'], ['LRANGE', 'none', '0', '-1'])).toEqual(['x"\r\n', 'string', []])
    await expect(send(['LPUSH', 'a b', '1'])).rejects.toMatchObject({ definite: true, permanent: true })
  })

  test.skipIf(missing)('a command that waits ends when it is aborted', async () => {
    const stop = new AbortController()
    const waiting = databases.command(service.server, [['BLPOP', 'never', '0']], stop.signal)
    const blocked = async () => (await databases.command(service.server, [['CLIENT', 'LIST']], never))[0]
    await expect.poll(blocked).toContain('cmd=blpop')
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
  })

  test.skipIf(missing)('a wrong password and a lost server are reported', async () => {
    const wrong = { ...service.server, password: 'wrong-one-0815' }
    await expect(databases.command(wrong, [['PING']], never)).rejects.toThrow(/^127\.0\.0\.1:\d+ answered: WRONGPASS/)
    const other = await openDatabaseServer('redis')
    await databases.command(other.server, [['PING']], never)
    await other[Symbol.asyncDispose]()
    await expect
      .poll(() => databases.command(other.server, [['PING']], never).catch(({ message }) => message))
      .toContain('Cannot connect')
  })
})

describe('sqlite', () => {
  const place = mkdtempSync(join(tmpdir(), 'hearthd-sqlite-'))
  afterAll(() => rmSync(place, { recursive: true }))
  const at = (database: string): DatabaseServer => ({
    ...{ engine: 'sqlite', host: '', port: 0, database, username: '', password: '', tls: 'none', is_trusted: true },
  })
  const server = at(join(place, 'shop.db'))

  test('reads and changes a file', async () => {
    await sql(server, 'CREATE TABLE tea (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO tea (name) VALUES ({0})', {
      values: ["O'Hara"],
    })
    const added = await sql(server, 'INSERT INTO tea (id, name) VALUES ({0}, {1}) RETURNING *', {
      values: ['9007199254740993', 'x'],
    })
    expect(added).toEqual({ rows: [{ id: '9007199254740993', name: 'x' }], changed: 1 })
    expect((await sql(server, 'SELECT * FROM tea WHERE id = {0}', { values: [1], read_only: true })).rows).toEqual([
      { id: 1, name: "O'Hara" },
    ])
    await expect(sql(server, 'DELETE FROM tea', { read_only: true })).rejects.toThrow('readonly')
  })

  test('several statements are all or nothing', async () => {
    await expect(sql(server, "INSERT INTO tea (name) VALUES ('a'); INSERT INTO none VALUES (1)")).rejects.toThrow(
      'no such table',
    )
    expect((await sql(server, "SELECT * FROM tea WHERE name = 'a'")).rows).toEqual([])
  })

  test('a statement without end is stopped', async () => {
    const stop = new AbortController()
    const endless = sql(
      server,
      'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n',
      { signal: stop.signal },
    )
    stop.abort(new Error('stopped'))
    await expect(endless).rejects.toThrow('stopped')
    expect((await sql(server, 'SELECT 1 AS x')).rows).toEqual([{ x: 1 }])
  })

  test('no other file is reached', async () => {
    const secret = join(folder, 'own.db')
    new DatabaseSync(secret).exec('CREATE TABLE IF NOT EXISTS secrets (x)')
    await expect(sql(at(secret), 'SELECT 1')).rejects.toThrow('A file of hearthd itself is not opened')
    await expect(sql(server, `ATTACH '${secret}' AS other`)).rejects.toThrow('not authorized')
    await expect(sql(server, `VACUUM INTO '${join(place, 'copy.db')}'`)).rejects.toThrow('authorization denied')
    await expect(sql(server, "SELECT load_extension('x')")).rejects.toThrow('not authorized')
    await expect(sql({ ...server, is_trusted: false }, 'SELECT 1')).rejects.toThrow('only if an administrator')
  })
})
