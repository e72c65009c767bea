import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as alerts from '../../handlers/monitoring/alerts.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { measurements } from '../../runtime/measurements.ts'
import { hour } from '../../runtime/time.ts'
import { channelHost, pairOwner } from '../channels/kit.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat } from '../support/chat.ts'
import { adminCaller } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { openSite } from '../tools/web/site.ts'
import { added, alertHost, create, disk, eventsOf, historyOf, minutes, missRun, shown } from './alert-kit.ts'

let host: MemoryHost
beforeEach(async () => {
  disk.free = 50
  host = await alertHost()
})

const { acknowledge, resolve, snooze } = alerts
const actions = { acknowledge, resolve, snooze }
const act = (action: keyof typeof actions, alert: { id: string }, body?: unknown) =>
  call(actions[action], host, { params: { id: alert.id }, body })
const alertEvents = () => host.events.filter((type) => /^alert\.(fired|resolved)$/.test(type))

test('an alert fires once, and again after its condition has cleared', async () => {
  const alert = await added(host)
  expect(alert).toMatchObject({ state: 'ok', value: null, last_triggered: null })

  await minutes(host)
  expect(await shown(host, alert)).toMatchObject({ state: 'ok', value: 50 })
  disk.free = 5
  await minutes(host, 10)
  expect(await shown(host, alert)).toMatchObject({
    state: 'firing',
    value: 5,
    last_triggered: expect.any(String),
  })
  disk.free = 50
  await minutes(host, 2)
  disk.free = 5
  await minutes(host, 2)

  expect(await eventsOf(host, alert)).toEqual(['fired', 'resolved', 'fired'])
  expect(alertEvents()).toEqual(['alert.fired', 'alert.resolved', 'alert.fired'])
})

test('a figure of the moment must exceed its threshold for the whole period', async () => {
  const alert = await added(host, { period_minutes: 5 })
  disk.free = 5
  await minutes(host, 4)
  disk.free = 50
  await minutes(host)
  disk.free = 5
  await minutes(host, 4)
  expect((await shown(host, alert)).state).toBe('ok')
  await minutes(host)
  expect((await shown(host, alert)).state).toBe('firing')
})

test('an acknowledged alert stays quiet until its condition has cleared', async () => {
  const alert = await added(host)
  expect((await act('acknowledge', alert)).status).toBe(409)
  disk.free = 5
  await minutes(host)
  expect(await (await act('acknowledge', alert)).json()).toMatchObject({ state: 'acknowledged' })
  await minutes(host, 3)
  disk.free = 50
  await minutes(host)
  expect(await eventsOf(host, alert)).toEqual(['fired', 'acknowledged', 'resolved'])
})

test('an alert that was resolved by hand fires again only after its condition has cleared', async () => {
  const alert = await added(host)
  expect((await act('resolve', alert)).status).toBe(409)
  disk.free = 5
  await minutes(host)
  expect(await (await act('resolve', alert)).json()).toMatchObject({ state: 'ok' })
  await minutes(host, 5)
  expect(await eventsOf(host, alert)).toEqual(['fired', 'resolved'])
  disk.free = 50
  await minutes(host)
  disk.free = 5
  await minutes(host)
  expect(await eventsOf(host, alert)).toEqual(['fired', 'resolved', 'fired'])
})

test('a snooze lasts over midnight, and the alert fires again if its condition is still met', async () => {
  await host.clock.advance(11 * hour)
  const alert = await added(host)
  disk.free = 5
  await minutes(host)
  const snoozed = await (await act('snooze', alert, { minutes: 120 })).json()
  expect(snoozed).toMatchObject({ state: 'snoozed', snoozed_until: '2026-01-06T01:01:00.000Z' })
  await minutes(host, 119)
  expect((await shown(host, alert)).state).toBe('snoozed')
  await minutes(host)
  expect(await shown(host, alert)).toMatchObject({ state: 'firing', snoozed_until: null })
  expect(await eventsOf(host, alert)).toEqual(['fired', 'snoozed', 'fired'])
})

test('a snooze that ends after the condition has cleared resolves the alert', async () => {
  const alert = await added(host)
  disk.free = 5
  await minutes(host)
  await act('snooze', alert, { minutes: 10 })
  disk.free = 50
  await minutes(host, 10)
  expect(await eventsOf(host, alert)).toEqual(['fired', 'snoozed', 'resolved'])
  expect((await shown(host, alert)).state).toBe('ok')
})

test('a firing alert survives a restart and does not fire again', async () => {
  const alert = await added(host)
  disk.free = 5
  await minutes(host)
  const next = await alertHost({ sql: host.sql })
  await next.clock.advance(host.clock.now() - next.clock.now())
  await minutes(next, 3)
  expect(await shown(next, alert)).toMatchObject({ state: 'firing', value: 5 })
  disk.free = 50
  await minutes(next)
  expect(await eventsOf(next, alert)).toEqual(['fired', 'resolved'])
})

test('of two daemons on one database one sends the event', async () => {
  const other = await alertHost({ sql: host.sql })
  const alert = await added(host)
  disk.free = 5
  await Promise.all([minutes(host, 2), minutes(other, 2)])
  expect(await eventsOf(host, alert)).toEqual(['fired'])
})

test('missed runs, errors and tokens are counted over the period or the day', async () => {
  host = await alertHost({ models: scriptedModels(text('Hello')) })
  await configure(host, ['openai'])
  const missed = await added(host, { condition: 'missed_runs', threshold: 1, period_minutes: 10 })
  const errors = await added(host, { condition: 'error_rate > threshold', threshold: 0.3, period_minutes: 3 })
  const tokens = await added(host, { condition: 'tokens_today', threshold: 0 })
  await missRun(host)
  await minutes(host)
  expect(await shown(host, missed)).toMatchObject({ state: 'ok', value: 1 })

  await missRun(host)
  measurements(host).request(host.clock.now(), 'GET /x', { status: 500, took: 1 })
  measurements(host).request(host.clock.now(), 'GET /x', { status: 200, took: 1 })
  await chat(host, { message: 'Hi' })
  await minutes(host)
  for (const alert of [missed, errors, tokens]) expect((await shown(host, alert)).state).toBe('firing')

  await minutes(host, 12)
  expect([(await shown(host, missed)).state, (await shown(host, errors)).state]).toEqual(['ok', 'ok'])
  await host.clock.advance(12 * hour)
  await minutes(host)
  expect(await shown(host, tokens)).toMatchObject({ state: 'ok', value: 0 })
})

test.each([
  ['tea > 3', 'there is no metric tea'],
  ['disk_free_pct >', 'Unexpected'],
  ['1 > 0', 'it uses no metric'],
  ['"a" & disk_free_pct', 'must be a number, true or false'],
  ['cpu_pct', 'cpu_pct is not known on this host'],
])('the condition %s is refused: %s', async (condition, message) => {
  const response = await create(host, { condition })
  expect(response.status).toBe(422)
  const refused = await response.json()
  expect(refused.message).toMatch(/^condition cannot be computed: /)
  expect(refused.message).toContain(message)
})

test.each([
  { period_minutes: 0 },
  { threshold: 'much' },
  { delivery: { type: 'pigeon' } },
  { delivery: { type: 'webhook', url: 'file:///etc/passwd' } },
  { delivery: { type: 'email', to: [] } },
  { delivery: { type: 'channel', channel_id: 'chan_x' } },
])('%o is refused', async (wish) => {
  expect((await create(host, wish)).status).toBe(422)
})

test('an alert that can no longer be computed says why, once, and recovers', async () => {
  const alert = await added(host, { condition: 'failed_runs / missed_runs', threshold: 2 })
  await minutes(host, 3)
  expect(await shown(host, alert)).toMatchObject({ state: 'ok', error: expect.any(String), value: null })
  await missRun(host)
  await minutes(host)
  expect(await shown(host, alert)).toMatchObject({ error: null, value: 0 })
  expect(await eventsOf(host, alert)).toEqual(['error'])
})

test('a changed rule starts again and resolves the alert for its receivers', async () => {
  const alert = await added(host)
  disk.free = 5
  await minutes(host)
  const change = { threshold: 2 }
  const response = await call(alerts.update, host, { params: { id: alert.id }, body: change })
  expect(await response.json()).toMatchObject({ state: 'ok', threshold: 2, value: null })
  await minutes(host, 2)
  expect((await eventsOf(host, alert)).sort()).toEqual(['fired', 'resolved', 'updated'])
  expect((await call(alerts.update, host, { params: { id: alert.id }, body: { condition: 'tea' } })).status).toBe(422)
})

test('a disabled alert is not checked; a deleted one is gone with its history', async () => {
  const alert = await added(host, { enabled: false })
  disk.free = 5
  await minutes(host, 2)
  expect(await shown(host, alert)).toMatchObject({ state: 'ok', value: null })
  expect((await call(alerts.remove, host, { params: { id: alert.id } })).status).toBe(200)
  expect((await call(alerts.history, host, { params: { id: alert.id } })).status).toBe(404)
  expect(await host.sql.read('SELECT * FROM alert_history')).toEqual([])
})

test('without alerts nothing is checked and nothing is written', async () => {
  await minutes(host)
  const [before] = await host.sql.read<{ seq: number }>('SELECT max(seq) AS seq FROM events')
  await minutes(host, 60)
  expect(await host.sql.read('SELECT max(seq) AS seq FROM events')).toEqual([before])
})

interface Received {
  headers: IncomingHttpHeaders
  body: string
}

async function receiver(answers: number[] = []) {
  const received: Received[] = []
  const site = await openSite(async (request, response) => {
    received.push({ headers: request.headers, body: await readText(request) })
    response.writeHead(answers.shift() ?? 200).end()
  })
  host = await alertHost({ outbound: site.outbound })
  return { received, url: `${site.origin}/hook` }
}

test('an alert and its end are sent to a webhook, signed; the secret is never shown', async () => {
  const { received, url } = await receiver()
  const alert = await added(host, { delivery: { type: 'webhook', url, secret: 'quiet words' } })
  expect(alert.delivery).toEqual({ type: 'webhook', url, signed: true })
  disk.free = 5
  await minutes(host)
  disk.free = 50
  await minutes(host)
  await minutes(host)

  expect(received.map(({ body }) => JSON.parse(body).type)).toEqual(['alert.fired', 'alert.resolved'])
  const [{ headers, body } = expect.fail()] = received
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = createHmac('sha256', 'quiet words').update(signed).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${expected}`)
  expect(JSON.parse(body).data).toMatchObject({ alert_id: alert.id, name: 'Disk', value: 5, threshold: 10 })
  expect(JSON.stringify(await host.sql.read('SELECT * FROM alerts'))).not.toContain('quiet')
})

test('a receiver that is down is tried again and delays no other alert', async () => {
  const { received, url } = await receiver([500, 503])
  const down = await added(host, { delivery: { type: 'webhook', url } })
  const other = await added(host, { name: 'Other' })
  disk.free = 5
  await minutes(host)
  expect((await shown(host, other)).state).toBe('firing')
  await minutes(host, 3)

  expect(received).toHaveLength(3)
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  const outcomes = (await historyOf(host, down)).filter(({ event }) => event.startsWith('deliver'))
  expect(outcomes.map(({ event }) => event)).toEqual(['delivered', 'delivery_failed', 'delivery_failed'])
  expect(outcomes.at(-1)?.note).toContain('returned 500')
})

test('a delivery that can never succeed is noted and not repeated', async () => {
  const alert = await added(host, { delivery: { type: 'email', to: ['ada@example.com'] } })
  disk.free = 5
  await minutes(host, 5)
  expect(await eventsOf(host, alert)).toEqual(['fired', 'delivery_failed'])
  expect((await historyOf(host, alert))[0]?.note).toContain('Email is disabled')
})

test('50 acknowledgements at once: all see it acknowledged, and the history has one', async () => {
  const alert = await added(host)
  disk.free = 5
  await minutes(host)
  const answers = await Promise.all(Array.from({ length: 50 }, () => act('acknowledge', alert)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await eventsOf(host, alert)).toEqual(['fired', 'acknowledged'])
})

test('an alert is sent to the paired owner of a channel, once', async () => {
  const kit = await channelHost()
  await pairOwner(kit)
  host = kit.host
  const delivery = { type: 'channel', channel_id: kit.channel.id }
  const alert = await added(host, {
    name: 'Missed',
    condition: 'missed_runs',
    threshold: 0,
    period_minutes: 60,
    delivery,
  })
  await missRun(host)
  await minutes(host, 3)

  expect(await eventsOf(host, alert)).toEqual(['fired', 'delivered'])
  expect(kit.script.texts.filter((sent) => sent.includes('Alert: Missed'))).toHaveLength(1)
})

test('only administrators see the whole address of a webhook', async () => {
  const url = 'https://hooks.example/services/T0/secret'
  const alert = await added(host, { delivery: { type: 'webhook', url } })
  const seenBy = async (caller: Caller) => {
    const one = await (await call(alerts.show, host, { params: { id: alert.id }, caller })).json()
    const { alerts: all } = await (await call(alerts.list, host, { caller })).json()
    return [one.delivery.url, all[0].delivery.url]
  }
  expect(await seenBy(adminCaller)).toEqual([url, url])
  const reader: Caller = { ...adminCaller, scopes: ['read', 'write', 'approve'] }
  expect(await seenBy(reader)).toEqual(['https://hooks.example', 'https://hooks.example'])
})
