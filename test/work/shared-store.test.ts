import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import { createMemorySecrets } from '../../adapters/memory/secrets.ts'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import { follow, send } from '../../handlers/chat/stream.ts'
import { areas } from '../../handlers/index.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { commit } from '../../runtime/events/commit.ts'
import { consumeEvents } from '../../runtime/events/consumer.ts'
import { event, eventsTopic } from '../../runtime/events/event.ts'
import { once } from '../../runtime/http/idempotency.ts'
import { checkAll } from '../../runtime/monitoring/health.ts'
import type { ModelEvent } from '../../runtime/ports/models.ts'
import { type Sql, StoreUnreachable } from '../../runtime/ports/sql.ts'
import { tick } from '../../runtime/tick.ts'
import { iso, minute, second as seconds } from '../../runtime/time.ts'
import type { WorkKind } from '../../runtime/work/kind.ts'
import { findWork, insertWork } from '../../runtime/work/store.ts'
import { call } from '../support/call.ts'
import { onlyConversation, parseEvents } from '../support/chat.ts'
import { emptyImage } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { passing, twoHosts } from '../support/two-hosts.ts'
import { workOff } from '../support/work.ts'

const named = (name: string) => event('chain.created', { chain_id: 'chain_1', name })

function heard(host: MemoryHost) {
  const names: [unknown, boolean][] = []
  host.bus.subscribe(eventsTopic, ({ type, data, foreign = false }) => {
    if (type === 'chain.created') names.push([(data as { name: string }).name, foreign])
  })
  return names
}

const kindsOf = (kind: Partial<WorkKind>) =>
  new Map<string, WorkKind>([
    [
      'test',
      { kind: 'test', max_running: 10, after_crash: 'retry', run: async () => ({ status: 'succeeded' }), ...kind },
    ],
  ])

const untilAborted: WorkKind['run'] = (_, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

async function enqueue(host: MemoryHost): Promise<string> {
  const { id, statement } = insertWork(host, { kind: 'test', subject: 'subject' })
  await host.sql.write([statement])
  return id
}

test('each daemon publishes the events of both once, in the order in which they were committed', async () => {
  const { first, second } = await twoHosts()
  const [atFirst, atSecond] = [heard(first), heard(second)]
  await commit(first, [], [named('one')])
  await commit(second, [], [named('two'), named('three')])
  await commit(first, [], [named('four')])
  await passing([first, second], 500)

  expect(atFirst).toEqual([
    ['one', false],
    ['two', true],
    ['three', true],
    ['four', false],
  ])
  expect(atSecond).toEqual([
    ['one', true],
    ['two', false],
    ['three', false],
    ['four', true],
  ])
})

test('an own event that is read from the outbox before its commit is acknowledged counts as own', async () => {
  const { first, second } = await twoHosts()
  const seen = heard(first)
  await commit(second, [], [named('before')])
  const acknowledged = Promise.withResolvers<void>()
  const slow: Sql = {
    ...first.sql,
    async write(...args) {
      const written = await first.sql.write(...args)
      await acknowledged.promise
      return written
    },
  }
  const committed = commit({ ...first, sql: slow }, [], [named('own')])
  await passing([first], 500)
  acknowledged.resolve()
  await committed

  expect(seen).toEqual([
    ['before', true],
    ['own', false],
  ])
})

test('an event is consumed by the daemon that committed it, and by another one if that has died', async () => {
  const { first, second } = await twoHosts()
  const consumed: string[] = []
  const consumerOf = (by: string) =>
    consumeEvents({
      name: 'test',
      retyped_by: [],
      types: async () => ['chain.created'],
      async consume(events) {
        consumed.push(...events.map(({ data }) => `${by} ${(data as { name: string }).name}`))
        return undefined
      },
    })
  const [atFirst, atSecond] = [consumerOf('first'), consumerOf('second')]
  for (const [source, host] of [
    [atFirst, first],
    [atSecond, second],
  ] as const)
    await source.queueDue(host)
  await commit(first, [], [named('one')])
  await passing([second], 500)
  await atSecond.queueDue(second)
  await atFirst.queueDue(first)
  await commit(first, [], [named('two')])
  await passing([second], 5 * seconds)
  await atSecond.queueDue(second)

  expect(consumed).toEqual(['first one', 'second two'])
})

test('a daemon that cannot renew its leases gives its work up before another one takes it over', async () => {
  const { first, second, line } = await twoHosts()
  const id = await enqueue(first)
  const { started } = await tick(first, kindsOf({ run: untilAborted }))
  line.cut = true
  await passing([first, second], 40 * seconds)
  await Promise.all(started)

  expect(first.process.running.count()).toBe(0)
  await tick(second, kindsOf({}))
  expect(await findWork(second, id)).toMatchObject({ status: 'running', lease_owner: first.process.owner })

  await passing([second], 25 * seconds)
  await tick(second, kindsOf({}))
  expect(await findWork(second, id)).toMatchObject({ status: 'succeeded', attempt: 2 })
})

test('leases that are renewed are kept', async () => {
  const { first, second } = await twoHosts()
  const id = await enqueue(first)
  const kinds = kindsOf({ run: untilAborted })
  await tick(first, kinds)
  for (let passed = 0; passed < 120; passed += 5) {
    await passing([first, second], 5 * seconds)
    await tick(first, kinds)
    await tick(second, kinds)
  }

  expect(await findWork(second, id)).toMatchObject({ status: 'running', attempt: 1, lease_owner: first.process.owner })
})

test('work that another daemon has taken over meanwhile is given up', async () => {
  const { first, second } = await twoHosts()
  await enqueue(first)
  const kinds = kindsOf({ run: untilAborted })
  const { started } = await tick(first, kinds)
  await first.sql.write([{ sql: `UPDATE work SET lease_owner = 'another'` }])
  for (let passed = 0; passed < 40; passed += 5) {
    await passing([first], 5 * seconds)
    await tick(first, kinds)
  }
  await Promise.all(started)

  expect(first.process.running.count()).toBe(0)
  expect(await second.sql.read(`SELECT status, lease_owner FROM work WHERE kind = 'test'`)).toEqual([
    { status: 'running', lease_owner: 'another' },
  ])
})

test('a daemon that loses the database server says so, takes no work, and resumes by itself', async () => {
  const { first, line } = await twoHosts()
  await enqueue(first)
  line.cut = true
  await passing([first], 500)

  await expect(tick(first, kindsOf({}))).rejects.toThrow(StoreUnreachable)
  const { overall, components } = await checkAll(first)
  expect(overall).toBe('down')
  expect(components.find((component) => component.id === 'db')).toMatchObject({
    status: 'down',
    message: 'The database server cannot be reached; this daemon takes no work until it can',
  })
  line.cut = false
  await passing([first], 500)
  const { started } = await tick(first, kindsOf({}))
  await Promise.all(started)

  expect(await first.sql.read(`SELECT status FROM work WHERE kind = 'test'`)).toEqual([{ status: 'succeeded' }])
  expect(first.log.lines.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'the database server cannot be reached; this daemon takes no work until it can',
      'the database server can be reached again; this daemon takes work again',
    ]),
  )
})

test('a daemon that loses the database server while it waits for events of others pauses between its tries', async () => {
  const { first, line } = await twoHosts()
  line.cut = true
  first.process.shared?.own([{ id: 'evt_1', type: 'chain.created', ts: '', seq: 1_000_000, data: {} }])
  await passing([first], 2 * seconds)

  expect(line.tries).toBeGreaterThan(1)
  expect(line.tries).toBeLessThan(10)
})

test('a client of one daemon follows the answer that another one writes, to its end', async () => {
  const gate = Promise.withResolvers<void>()
  const { first, second } = await twoHosts(scriptedModels([gate.promise, ...(text('It is four.') as ModelEvent[])]))
  await call(send, first, { body: { message: 'What is 2 + 2?' } })
  const { id } = await onlyConversation(first)
  const response = await call(follow, second, { params: { id } })
  const read = response.text()
  await passing([second], 1 * seconds)
  gate.resolve()
  await workOff(first)
  await passing([second], 1 * seconds)
  const events = parseEvents(await read)

  expect(events.filter(({ event }) => event === 'token').at(-1)?.data.content).toBe('It is four.')
  expect(events.at(-1)?.event).toBe('done')
})

const keyed = () => {
  const request = new Request('http://127.0.0.1/api/agents', { headers: { 'idempotency-key': 'key 1' } })
  return { request, body: {}, returns: z.object({}), status: 201 }
}

test('a repeat of a request runs at another daemon once the one that ran it has died, and not before', async () => {
  const { first, second } = await twoHosts()
  const run = vi.fn(async () => ({ status: 201, text: '{}' }))
  const never = once(localContext(first), keyed(), () => new Promise(() => undefined))
  never.catch(() => undefined)
  await passing([first], 0)
  for (let passed = 0; passed < 120; passed += 20) await passing([first, second], 20 * seconds)
  await expect(once(localContext(second), keyed(), run)).rejects.toThrow('still running')

  await passing([second], 61 * seconds)
  expect(await once(localContext(second), keyed(), run)).toEqual({ status: 201, text: '{}' })
  expect(await once(localContext(second), keyed(), run)).toMatchObject({ replayed: true })
  expect(run).toHaveBeenCalledTimes(1)
})

test('of two daemons that repeat a request whose daemon has died, one runs it', async () => {
  const { first, second } = await twoHosts()
  const old = iso(first.clock.now() - 2 * minute)
  const never = once(localContext(first), keyed(), () => new Promise(() => undefined))
  never.catch(() => undefined)
  await passing([first], 0)
  await second.sql.write([{ sql: 'UPDATE idempotency SET created_at = ?', args: [old] }])
  const { write } = second.sql
  second.sql.write = async (statements, options) => {
    // The other one is faster.
    if (statements[0]?.sql.startsWith('DELETE FROM idempotency WHERE slot'))
      await write([{ sql: 'UPDATE idempotency SET created_at = ?', args: [iso(first.clock.now())] }])
    return write(statements, options)
  }
  const run = vi.fn(async () => ({ status: 201, text: '{}' }))
  await expect(once(localContext(second), keyed(), run)).rejects.toThrow('still running')

  expect(run).not.toHaveBeenCalled()
})

test('a daemon with another master key does not start on the database', async () => {
  const sql = createMemorySql(await emptyImage)
  const start = (secrets = createMemorySecrets({ cheap: true })) => createMemoryHost(areas, { sql, secrets }, {}, false)
  const { secrets } = await start()

  await expect(start()).rejects.toThrow(/give all of them the same SERVICE_SECRET_KEY/)
  await expect(start(secrets)).resolves.toBeDefined()
})
