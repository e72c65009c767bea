import { expect, test } from 'vitest'
import { create } from '../../handlers/agents/agents.ts'
import { listAgents } from '../../runtime/agents/store.ts'
import { startUp } from '../../runtime/assemble.ts'
import { StoreUnavailable } from '../../runtime/ports/sql.ts'
import { hour } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'

const headers = { 'idempotency-key': 'once' }
const body = { name: 'Cook' }

test('a repeated key returns the first answer and does nothing', async () => {
  const host = await testHost()
  const first = await call(create, host, { body, headers })
  const again = await call(create, host, { body, headers })

  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await again.json()).toEqual(await first.json())
  expect(await listAgents(host)).toHaveLength(2)
})

test('the same key with another body is a 422', async () => {
  const host = await testHost()
  await call(create, host, { body, headers })
  expect((await call(create, host, { body: { name: 'Gardener' }, headers })).status).toBe(422)
})

test('a refused request frees its key', async () => {
  const host = await testHost()
  expect((await call(create, host, { body: { ...body, archetype: 'none' }, headers })).status).toBe(422)
  expect((await call(create, host, { body, headers })).status).toBe(201)
})

test('a key is kept for a day', async () => {
  const host = await testHost()
  await call(create, host, { body, headers })
  await host.clock.advance(25 * hour)
  await call(create, host, { body, headers })
  expect(await listAgents(host)).toHaveLength(3)
})

test('after a crash during the request the caller is told to check, and nothing runs twice', async () => {
  const host = await testHost()
  await call(create, host, { body, headers })
  await host.sql.write([{ sql: 'UPDATE idempotency SET status = 1, response = NULL' }])
  await startUp(host, { alone: true })
  const again = await call(create, host, { body, headers })

  expect(again.status).toBe(409)
  expect((await again.json()).message).toContain('took effect')
  expect(await listAgents(host)).toHaveLength(2)
})

test('a request is answered even if the state of its key cannot be stored, and is not repeated', async () => {
  const host = await testHost()
  const { write } = host.sql
  host.sql.write = (statements, options) =>
    /^(UPDATE idempotency SET|DELETE FROM idempotency WHERE slot)/.test(statements[0]?.sql ?? '')
      ? Promise.reject(new StoreUnavailable('full'))
      : write(statements, options)
  const first = await call(create, host, { body, headers })
  const refused = await call(create, host, {
    body: { ...body, archetype: 'none' },
    headers: { 'idempotency-key': 'another' },
  })

  expect([first.status, refused.status]).toEqual([201, 422])
  expect((await call(create, host, { body, headers })).status).toBe(201)
  expect(await listAgents(host)).toHaveLength(2)
})

test('simultaneous requests with a key get one answer', async () => {
  const host = await testHost()
  const answers = await Promise.all([1, 2, 3].map(() => call(create, host, { body, headers })))
  const ids = await Promise.all(answers.map(async (answer) => (await answer.json()).id))

  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(ids).size).toBe(1)
})

test('a request that fails after its effect is not run again', async () => {
  const host = await testHost()
  const { publish } = host.bus
  host.bus.publish = () => {
    throw new Error('broken')
  }
  expect((await call(create, host, { body, headers })).status).toBe(500)
  host.bus.publish = publish
  expect((await call(create, host, { body, headers })).status).toBe(201)
  expect(await listAgents(host)).toHaveLength(2)
})

test('after a crash a request that changed nothing runs when it is repeated', async () => {
  const host = await testHost()
  const { write } = host.sql
  let cut = false
  host.sql.write = async (statements, options) => {
    if (cut || statements.some(({ sql }) => sql.includes('INSERT INTO agents'))) {
      cut = true
      throw new Error('killed')
    }
    return write.call(host.sql, statements, options)
  }
  expect((await call(create, host, { body, headers })).status).toBe(500)
  host.sql.write = write
  expect((await call(create, host, { body, headers })).status).toBe(409)
  await startUp(host, { alone: true })

  expect((await call(create, host, { body, headers })).status).toBe(201)
  expect(await listAgents(host)).toHaveLength(2)
})

test('the mark of a request is stored with its change', async () => {
  const host = await testHost()
  const { write } = host.sql
  const marked: boolean[] = []
  host.sql.write = (statements, options) => {
    if (statements.some(({ sql }) => sql.includes('INSERT INTO agents')))
      marked.push(statements.some(({ sql }) => sql.startsWith('UPDATE idempotency')))
    return write.call(host.sql, statements, options)
  }
  await call(create, host, { body, headers })
  expect(marked).toEqual([true])
})
