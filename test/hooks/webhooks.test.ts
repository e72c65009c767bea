import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import * as webhooks from '../../handlers/hooks/webhooks.ts'
import { commit } from '../../runtime/events/commit.ts'
import { OutboundBlocked } from '../../runtime/ports/outbound.ts'
import { tick } from '../../runtime/tick.ts'
import { hour, minute, second } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { chainEvent, deliveriesOf, happen, hostWith, newWebhook, pass, realReceiver, receiver } from './kit.ts'

const nameOf = (body: string) => JSON.parse(body).data.name as string
const signatureOf = (secret: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

test('an event is sent to a real receiver, signed by the standard, and is in the log', async () => {
  const { site, received, url } = await realReceiver()
  const host = await testHost({ outbound: site.outbound })
  const { id, secret } = await newWebhook(host, { url })
  await happen(host, 'one')
  await workOff(host)
  const [request] = received
  expect(JSON.parse(request?.body ?? '')).toEqual({
    type: 'chain.created',
    timestamp: expect.any(String),
    data: { chain_id: 'chain_1', name: 'one' },
  })
  expect(request?.headers['webhook-signature']).toBe(signatureOf(secret, request as never))
  const [delivery] = await deliveriesOf(host, id)
  expect(delivery).toMatchObject({
    id: request?.headers['webhook-id'],
    status: 'succeeded',
    attempt: 1,
    last_attempt: { response_status: 200, response_excerpt: 'thanks', error: null },
  })
  const shown = await call(webhooks.delivery, host, { params: { id, delivery_id: delivery.id } })
  expect(await shown.json()).toMatchObject({ payload: { data: { name: 'one' } }, attempts: [{}] })
  await site.close()
})

test('the secret is shown once, and never again', async () => {
  const host = await testHost()
  const { id, secret } = await newWebhook(host)
  expect(secret).toMatch(/^whsec_[\w+/]{32}$/)
  for (const response of [
    await call(webhooks.list, host),
    await call(webhooks.show, host, { params: { id } }),
    await call(webhooks.update, host, { params: { id }, body: { name: 'Other' } }),
  ]) {
    const text = await response.text()
    expect(text).toContain(`…${secret.slice(-4)}`)
    expect(text).not.toContain(secret)
  }
  expect(JSON.stringify(await host.sql.read('SELECT * FROM webhooks'))).not.toContain(secret)
})

test('only events that match a pattern and the filter, that its owner may see, and later ones, are sent', async () => {
  const site = receiver()
  const host = await hostWith(site)
  await happen(host, 'before')
  await newWebhook(host, { events: ['chain.created'], filter: `$contains(data.name, 'yes')` })
  await happen(host, 'yes 1', 'no')
  await commit(host, [], [chainEvent('yes, of another', 'user_other')])
  await workOff(host)
  expect(site.received.map(({ body }) => nameOf(body))).toEqual(['yes 1'])
})

test('a failed delivery is repeated after 5 s, 30 s, 2 m, 10 m, 1 h and 6 h, then given up', async () => {
  const site = receiver(() => ({ status: 500, body: 'broken' }))
  const host = await hostWith(site)
  const { id } = await newWebhook(host)
  await happen(host, 'one')
  await workOff(host)
  const counts = [site.received.length]
  for (const delay of [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour]) {
    await pass(host, delay - 1)
    const early = site.received.length
    await pass(host, 1)
    counts.push(early, site.received.length)
  }
  expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7])
  await pass(host, 24 * hour)
  expect(site.received).toHaveLength(7)
  expect(await deliveriesOf(host, id)).toMatchObject([
    { status: 'failed', attempt: 7, last_attempt: { response_status: 500, response_excerpt: 'broken' } },
  ])
  expect(new Set(site.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('410 disables the webhook and gives up what waits', async () => {
  const site = receiver(() => 410)
  const host = await hostWith(site)
  const { id } = await newWebhook(host, { ordered: true })
  await happen(host, 'one', 'two')
  await workOff(host)
  await happen(host, 'three')
  await pass(host, hour)
  expect(site.received).toHaveLength(1)
  const shown = await (await call(webhooks.show, host, { params: { id } })).json()
  expect(shown).toMatchObject({ enabled: false, disabled_reason: 'The receiver returned 410 Gone' })
  expect((await deliveriesOf(host, id)).map(({ status }: { status: string }) => status)).toEqual([
    'cancelled',
    'failed',
  ])
  expect(host.events).toContain('webhook.disabled')
})

test('a receiver on a private address is refused, once', async () => {
  const host = await testHost({
    outbound: {
      ...noOutbound,
      fetch: async () => {
        throw new OutboundBlocked('private addresses are not allowed')
      },
    },
  })
  const { id } = await newWebhook(host)
  await happen(host, 'one')
  await workOff(host)
  await pass(host, hour)
  const [delivery] = await deliveriesOf(host, id)
  expect(delivery).toMatchObject({ status: 'failed', attempt: 1 })
  expect(delivery.last_attempt.error).toContain('private addresses are not allowed')
})

test('deliveries of an ordered webhook arrive in the order of the events, also when one fails', async () => {
  let fails = 2
  const site = receiver(({ body }) => (nameOf(body) === 'two' && fails-- > 0 ? 503 : 200))
  const host = await hostWith(site)
  await newWebhook(host, { ordered: true })
  await happen(host, 'one', 'two', 'three')
  await workOff(host)
  await happen(host, 'four')
  await workOff(host)
  await pass(host, 5 * second)
  await pass(host, 30 * second)
  expect(site.received.map(({ body }) => nameOf(body))).toEqual(['one', 'two', 'two', 'two', 'three', 'four'])
})

test('after a rotation deliveries are signed with both secrets, for a time', async () => {
  const site = receiver()
  const host = await hostWith(site)
  const { id, secret: old } = await newWebhook(host)
  const rotated = await call(webhooks.rotate, host, { params: { id }, body: { overlap_hours: 2 } })
  const { secret } = await rotated.json()
  expect(secret).not.toBe(old)
  await happen(host, 'one')
  await workOff(host)
  await pass(host, 3 * hour)
  await happen(host, 'two')
  await workOff(host)
  const [both, one] = site.received
  expect(both?.headers['webhook-signature']).toBe(
    `${signatureOf(secret, both as never)} ${signatureOf(old, both as never)}`,
  )
  expect(one?.headers['webhook-signature']).toBe(signatureOf(secret, one as never))
})

test('an ended delivery can be sent again, under its id', async () => {
  let status = 500
  const site = receiver(() => status)
  const host = await hostWith(site)
  const { id } = await newWebhook(host)
  await happen(host, 'one')
  await pass(host, 24 * hour)
  for (let left = 7; left > 0; left -= 1) await pass(host, 24 * hour)
  const [failed] = await deliveriesOf(host, id)
  expect(failed.status).toBe('failed')
  status = 200
  const params = { id, delivery_id: failed.id }
  expect((await call(webhooks.redeliver, host, { params })).status).toBe(202)
  expect((await call(webhooks.redeliver, host, { params })).status).toBe(409)
  await workOff(host)
  expect(await deliveriesOf(host, id)).toMatchObject([{ id: failed.id, status: 'succeeded', attempt: 1 }])
  expect(site.received.at(-1)?.headers['webhook-id']).toBe(failed.id)
})

test('a test sends one event now and shows the response', async () => {
  const site = receiver(() => ({ status: 404, body: 'not here' }))
  const host = await hostWith(site)
  const { id } = await newWebhook(host)
  const response = await call(webhooks.test, host, { params: { id } })
  expect(await response.json()).toMatchObject({
    event_type: 'webhook.test',
    status: 'failed',
    attempts: [{ response_status: 404, response_excerpt: 'not here', error: 'The receiver returned 404' }],
  })
  await pass(host, hour)
  expect(site.received).toHaveLength(1)
})

test('a disabled webhook receives nothing of that time, and what waits is sent when it is enabled', async () => {
  let status = 500
  const site = receiver(() => status)
  const host = await hostWith(site)
  const { id } = await newWebhook(host)
  await happen(host, 'waits')
  await workOff(host)
  const set = (enabled: boolean) => call(webhooks.update, host, { params: { id }, body: { enabled } })
  await set(false)
  await happen(host, 'missed')
  await pass(host, hour)
  status = 200
  await set(true)
  await workOff(host)
  expect(site.received.map(({ body }) => nameOf(body))).toEqual(['waits', 'waits'])
})

test.each([
  [{ events: ['job.run.finishd'] }, 'events.0'],
  [{ events: ['nonsense.*'] }, 'events.0'],
  [{ events: ['webhook.*'] }, 'events.0'],
  [{ events: [] }, 'events'],
  [{ url: 'ftp://example.org' }, 'url'],
  [{ filter: 'data.(' }, 'filter'],
  [{ secret: 'short' }, 'secret'],
])('%j is refused', async (wrong, path) => {
  const host = await testHost()
  const body = { name: 'Mine', url: 'https://example.org', events: ['*'], ...wrong }
  const response = await call(webhooks.create, host, { body })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ issues: [{ path }] })
})

test('1,000 deliveries to a slow and failing receiver hold nobody else up and keep their order', async () => {
  const held: (() => void)[] = []
  let isSlow = true
  const site = receiver(async ({ url, body }, count) => {
    if (url.includes('fast')) return 200
    if (isSlow) await new Promise<void>((resolve) => held.push(resolve))
    return Number(nameOf(body)) % 100 === 7 && count % 2 === 0 ? 500 : 200
  })
  const host = await hostWith(site)
  const slow = await newWebhook(host, { url: 'https://slow.example', ordered: true })
  const fast = await newWebhook(host, { url: 'https://fast.example', ordered: true })
  const names = Array.from({ length: 1_000 }, (_, at) => String(at))
  for (let at = 0; at < 1_000; at += 250) await happen(host, ...names.slice(at, at + 250))
  const to = (part: string) => site.received.filter(({ url }) => url.includes(part)).map(({ body }) => nameOf(body))

  while (to('fast').length < 1_000) {
    await tick(host)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(to('fast')).toEqual(names)
  expect(to('slow')).toEqual(['0'])

  isSlow = false
  for (const release of held) release()
  while ((await deliveriesOf(host, slow.id, { status: 'pending' })).length > 0) await pass(host, 5 * second)
  expect(to('slow').filter((name, at, all) => name !== all[at - 1])).toEqual(names)
  expect(await deliveriesOf(host, fast.id, { status: 'pending' })).toEqual([])
})
