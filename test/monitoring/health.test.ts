import { expect, test } from 'vitest'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import * as health from '../../handlers/monitoring/health.ts'
import { prometheus } from '../../handlers/monitoring/health.ts'
import { apiIndex } from '../../handlers/system/api-index.ts'
import { HealthReport } from '../../runtime/monitoring/health.ts'
import { type Sql, StoreUnavailable } from '../../runtime/ports/sql.ts'
import { insertWork } from '../../runtime/work/store.ts'
import { call } from '../support/call.ts'
import { client } from '../support/client.ts'
import { endpoints } from '../support/endpoints.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const body = async (response: Response | Promise<Response>) =>
  (await (await response).json()) as Record<string, unknown>

test('health returns status, release and uptime', async () => {
  const host = await testHost()
  await host.clock.advance(65_400)

  expect(await body(call(health.health, host))).toEqual({
    status: 'healthy',
    version: '0.1.0',
    uptime_seconds: 65,
  })
})

test('with anonymous access disabled it reports only that it is alive', async () => {
  const host = await testHost({}, { api_key_required: true })
  const send = client(host)

  expect(await body(send(health.health))).toEqual({ status: 'healthy' })
  expect((await send(health.live)).status).toBe(200)
  for (const closed of [health.ready, prometheus, apiIndex(async () => ({ endpoints, sockets: [] }))])
    expect((await send(closed)).status).toBe(401)
  const { api_key } = await setUpAdmin(host)
  expect((await send(health.ready, { key: api_key.key })).status).toBe(200)
  expect(await body(send(health.health, { key: api_key.key }))).toMatchObject({ version: '0.1.0' })
  expect(await body(send(health.health, { key: 'svc_wrong' }))).toEqual({ status: 'healthy' })
})

test('api/health reports whether setup is still pending', async () => {
  const host = await testHost()
  expect(await body(call(health.apiHealth, host))).toEqual({ status: 'healthy', bootstrap_mode: true })
  await setUpAdmin(host)
  expect(await body(call(health.apiHealth, host))).toEqual({ status: 'healthy', bootstrap_mode: false })
})

test('ready is 503 during startup and shutdown', async () => {
  const host = await testHost()
  host.process.ready = false
  expect(await body(call(health.ready, host))).toMatchObject({ status: 503, failing: ['startup'] })
  host.process.ready = true
  expect((await call(health.ready, host)).status).toBe(200)
  host.stop()
  expect(await body(call(health.ready, host))).toMatchObject({ status: 503, failing: ['shutdown'] })
})

/** A store that can be made to refuse writes, as a full disk does. */
function fillable() {
  const sql = createMemorySql()
  const state = { full: false }
  const write: Sql['write'] = (statements) => {
    if (state.full) return Promise.reject(new StoreUnavailable('database or disk is full'))
    return sql.write(statements)
  }
  return { state, sql: { ...sql, write } }
}

test('ready names the database while it cannot be written, and recovers automatically', async () => {
  const { state, sql } = fillable()
  const host = await testHost({ sql })
  state.full = true
  expect(await body(call(health.ready, host))).toMatchObject({
    error: 'unavailable',
    status: 503,
    failing: ['db'],
  })
  expect(await body(call(health.showComponent, host, { params: { id: 'db' } }))).toMatchObject({
    id: 'db',
    status: 'down',
  })

  state.full = false
  expect((await call(health.ready, host)).status).toBe(200)
})

test('ready names the database when the disk is nearly full', async () => {
  const machine = {
    disk: async () => ({ free_bytes: 1024, total_bytes: 1e9 }),
    residentBytes: () => null,
    load: async () => null,
  }
  const host = await testHost({ machine })

  expect(await body(call(health.ready, host))).toMatchObject({ failing: ['db'] })
})

test('repeated readiness probes write once a second', async () => {
  const host = await testHost()
  const writes: unknown[] = []
  const write: Sql['write'] = (statements) => {
    writes.push(statements)
    return host.sql.write(statements)
  }
  const watched = { ...host, sql: { ...host.sql, write } }
  for (let index = 0; index < 5; index += 1) await call(health.ready, watched)
  expect(writes).toHaveLength(1)
  await host.clock.advance(1_000)
  await call(health.ready, watched)

  expect(writes).toHaveLength(2)
})

test('the report checks every component', async () => {
  const host = await testHost()
  const report = HealthReport.parse(await body(call(health.show, host)))

  expect(report.overall).toBe('healthy')
  expect(report.components.map(({ id, status }) => [id, status])).toEqual(
    ['api', 'db', 'workers', 'memory', 'ai'].map((id) => [id, 'healthy']),
  )
  expect(report.components.at(-1)?.message).toContain('offline')
  expect(HealthReport.parse(await body(call(health.check, host))).version).toBe('0.1.0')
})

test('due work that does not start degrades the workers', async () => {
  const host = await testHost()
  await host.sql.write([insertWork(host, { kind: 'chat.turn', subject: 'x' }).statement])
  await host.clock.advance(61_000)
  const report = HealthReport.parse(await body(call(health.show, host)))

  expect(report.overall).toBe('degraded')
  expect(report.components.find(({ id }) => id === 'workers')).toMatchObject({
    status: 'degraded',
    message: expect.stringContaining('1 '),
  })
})

test('a failing check is down and does not reveal its cause', async () => {
  const host = await testHost()
  await host.sql.write([{ sql: 'DROP TABLE episodes_fts' }])
  const component = await body(call(health.showComponent, host, { params: { id: 'memory' } }))

  expect(component).toMatchObject({ status: 'down', message: 'The check failed; see the log' })
  expect(host.log.lines.some(({ level, message }) => level === 'error' && message.includes('Memory'))).toBe(true)
})

test('an unknown component is a 404', async () => {
  expect((await call(health.showComponent, await testHost(), { params: { id: 'soul' } })).status).toBe(404)
})

test('the index lists every endpoint', async () => {
  const index = endpoints.find(({ path }) => path === '/api/')
  if (!index) throw new Error('the index is not in the table')
  const listed = (await body(call(index, await testHost()))).endpoints as unknown[]

  expect(listed).toHaveLength(endpoints.length)
})

test('metrics are in the Prometheus text format, by route template and not by path', async () => {
  const host = await testHost()
  const { api_key } = await setUpAdmin(host)
  const send = client(host)
  await send(health.showComponent, { key: api_key.key, params: { id: 'db' } })
  const response = await send(prometheus)
  const text = await response.text()

  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(text).toMatch(/^service_active_sessions 1$/m)
  expect(text).toContain('route="/api/monitoring/health/components/{id}"')
  expect(text).not.toContain('components/db')
})
