import { expect, test } from 'vitest'
import { createMemoryHost } from '../../adapters/memory/host.ts'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import { areas } from '../../handlers/index.ts'
import { commit, type StoredEvent } from '../../runtime/events/commit.ts'
import { consumeEvents } from '../../runtime/events/consumer.ts'
import { event } from '../../runtime/events/event.ts'
import { testHost } from '../support/host.ts'

const created = (name: string) => event('chain.created', { chain_id: 'chain_1', name })
const updated = event('hook.updated', { hook_id: 'hook_1' })
const other = event('chain.deleted', { chain_id: 'chain_1' })

function reader(types: readonly string[] = ['chain.created']) {
  const seen: StoredEvent[][] = []
  const wanted = { types }
  const source = consumeEvents({
    name: 'test',
    retyped_by: ['hook.updated'],
    types: async () => wanted.types,
    async consume(events) {
      seen.push([...events])
      return undefined
    },
  })
  const names = () => seen.flat().map(({ data }) => (data as { name?: string }).name)
  return { seen, names, source, wanted }
}

const cursorOf = async (host: Awaited<ReturnType<typeof testHost>>) =>
  (await host.sql.read('SELECT cursor FROM event_consumers'))[0]?.cursor

test('each event of its types is considered once, in order', async () => {
  const host = await testHost()
  const { source, names, seen } = reader()
  await commit(host, [], [created('one'), other, created('two')])
  await source.queueDue(host)
  await commit(host, [], [other, created('three')])
  await source.queueDue(host)
  await source.queueDue(host)
  expect(names()).toEqual(['one', 'two', 'three'])
  expect(seen).toHaveLength(2)
})

test('a restart continues where the last process stopped', async () => {
  const sql = createMemorySql()
  const start = async () => createMemoryHost(areas, { sql })
  const first = await start()
  await commit(first, [], [created('one')])
  const before = reader()
  await before.source.queueDue(first)
  await commit(first, [], [created('two')])
  const after = reader()
  await after.source.queueDue(await start())
  expect([before.names(), after.names()]).toEqual([['one'], ['two']])
})

test('what was not committed is considered again', async () => {
  const host = await testHost()
  let tries = 0
  const source = consumeEvents({
    name: 'test',
    retyped_by: ['hook.updated'],
    types: async () => ['chain.created'],
    async consume() {
      tries += 1
      if (tries === 1) throw new Error('cut')
      return undefined
    },
  })
  await commit(host, [], [created('one')])
  await source.queueDue(host)
  expect(await cursorOf(host)).toBeUndefined()
  await commit(host, [], [updated])
  await source.queueDue(host)
  expect(tries).toBe(2)
  expect(await cursorOf(host)).toBeGreaterThan(0)
})

test('an event that always fails is skipped after three tries, and the others are considered once', async () => {
  const host = await testHost()
  const done: string[] = []
  const source = consumeEvents({
    name: 'test',
    retyped_by: ['hook.updated'],
    types: async () => ['chain.created'],
    async consume(events) {
      const names = events.map(({ data }) => (data as { name: string }).name)
      if (names.includes('poison')) throw new Error('broken')
      done.push(...names)
      return undefined
    },
  })
  await commit(host, [], [created('one'), created('poison'), created('two'), created('three')])
  for (let tick = 0; tick < 5; tick += 1) {
    await source.queueDue(host)
    await commit(host, [], [updated])
  }
  expect(done).toEqual(['one', 'two', 'three'])
})

test('two daemons consider an event once between them', async () => {
  const sql = createMemorySql()
  const hosts = [await createMemoryHost(areas, { sql }), await createMemoryHost(areas, { sql })] as const
  const source = consumeEvents({
    name: 'test',
    retyped_by: ['hook.updated'],
    types: async () => ['chain.*'],
    consume: async (events) => ({
      statements: events.map(({ seq }) => ({
        sql: `INSERT INTO idempotency (slot, fingerprint, created_at) VALUES (?, '', '')`,
        args: [`${seq}`],
      })),
    }),
  })
  await commit(hosts[0], [], [created('one'), created('two')])
  await Promise.all(hosts.map((host) => source.queueDue(host)))
  await source.queueDue(hosts[1])
  expect(await sql.read('SELECT slot FROM idempotency')).toHaveLength(2)
})

test('an event of its types wakes the tick; others read and write nothing', async () => {
  const host = await testHost()
  const { source, wanted, names } = reader()
  await source.queueDue(host)
  let reads = 0
  const read = host.sql.read.bind(host.sql)
  host.sql.read = (...args) => {
    reads += 1
    return read(...(args as Parameters<typeof read>)) as never
  }
  await commit(host, [], [other])
  await source.queueDue(host)
  expect(reads).toBe(0)

  wanted.types = ['chain.deleted']
  await commit(host, [], [updated])
  await source.queueDue(host)
  expect(names()).toHaveLength(1)
})

test('a long backlog is read in batches', async () => {
  const host = await testHost()
  const { source, seen, names } = reader()
  for (let round = 0; round < 5; round += 1)
    await commit(
      host,
      [],
      Array.from({ length: 100 }, (_, at) => created(`${round * 100 + at}`)),
    )
  await source.queueDue(host)
  expect(names()).toHaveLength(500)
  expect(Math.max(...seen.map(({ length }) => length))).toBe(200)
})

test('a restart does not read again what nobody wanted', async () => {
  const host = await testHost()
  const { source } = reader(['nothing.*'])
  await commit(
    host,
    [],
    Array.from({ length: 1_200 }, () => other),
  )
  await source.queueDue(host)
  expect(await cursorOf(host)).toBeGreaterThanOrEqual(1_200)
})
