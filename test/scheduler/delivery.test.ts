import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createMail } from '../../adapters/mail/mail.ts'
import { createOutbound } from '../../adapters/outbound/outbound.ts'
import { create as createChannel, remove as removeChannel } from '../../handlers/channels/channels.ts'
import { create as createConversation, remove as removeConversation } from '../../handlers/chat/conversations.ts'
import { create, show, update } from '../../handlers/scheduler/jobs.ts'
import { redeliver } from '../../handlers/scheduler/runs.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { listConversations } from '../../runtime/chat/conversation-store.ts'
import type { Host } from '../../runtime/host.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import type { ShownRun } from '../../runtime/scheduler/schema.ts'
import { hour, minute, second } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { conversationOf } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { certificate, startSmtp } from '../support/smtp.ts'
import { workOff } from '../support/work.ts'
import { openSite } from '../tools/web/site.ts'

const { update: updateEmail } = sections.email

async function pass(host: Awaited<ReturnType<typeof testHost>>, milliseconds: number): Promise<void> {
  await host.clock.advance(milliseconds)
  await workOff(host)
}

const failing = (): Step => [new ModelError('internal_error', 'the vendor answers nonsense')]

interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/** A real receiver on the loopback that answers as it is told. */
async function receiver(answers: number[] = []) {
  const received: Received[] = []
  const site = await openSite(async (request, response) => {
    received.push({ headers: request.headers, body: await readText(request) })
    response.writeHead(answers.shift() ?? 200, { location: '/elsewhere' }).end()
  })
  return { site, received, url: `${site.origin}/hook` }
}

const again = async (host: Host, run: ShownRun | undefined) =>
  call(redeliver, host, { params: { id: run?.job_id ?? '', run_id: run?.id ?? '' } })

test('the result of a run is sent to a webhook, signed according to the standard', async () => {
  const { site, received, url } = await receiver()
  const host = await testHost({ models: scriptedModels(text('42 visitors')), outbound: site.outbound })
  const secret = 'a secret of mine'
  const job = await newJob(host, { delivery: { channel: 'webhook', format: 'json', url, secret } })
  await pass(host, hour)

  const [run] = await runsOf(host, job)
  expect(run).toMatchObject({ status: 'succeeded', delivery_status: 'delivered', delivery_attempts: 1 })
  expect(received).toHaveLength(1)
  const { headers, body } = received[0] as Received
  expect(JSON.parse(body)).toMatchObject({
    type: 'job.run.finished',
    data: { job_id: job.id, run_id: run?.id, status: 'succeeded', output: '42 visitors' },
  })
  const signed = `${run?.id}.${headers['webhook-timestamp']}.${body}`
  const signature = createHmac('sha256', secret).update(signed).digest('base64')
  expect(headers).toMatchObject({ 'webhook-id': run?.id, 'webhook-signature': `v1,${signature}` })
  expect(host.events).toContain('job.run.delivered')
  await site.close()
})

test('the secret of a webhook is never shown, is kept by other changes, and is removed with the address', async () => {
  const host = await testHost()
  const secret = 'a secret of mine'
  const delivery = { channel: 'webhook', url: 'https://example.com/hook', secret }
  const job = await newJob(host, { delivery })
  const params = { id: job.id }
  const shown = async () => (await (await call(show, host, { params })).json()).delivery
  const rows = await host.sql.read<{ settings: string }>('SELECT settings FROM scheduler_jobs')
  expect(JSON.stringify([job, await shown(), rows])).not.toContain(secret)
  await call(update, host, { params, body: { delivery: { ...(await shown()), format: 'json' } } })
  expect(await shown()).toMatchObject({ secret: expect.stringContaining('••'), format: 'json' })
  await call(update, host, {
    params,
    body: { delivery: { ...(await shown()), url: 'https://example.org/' } },
  })
  expect(await shown()).toMatchObject({ secret: null, url: 'https://example.org/' })
})

test('a failed delivery is retried with its own delays, and the run is not repeated', async () => {
  const { site, received, url } = await receiver([500, 302, 503, 500, 500])
  const models = scriptedModels(text('Once'))
  const host = await testHost({ models, outbound: site.outbound })
  const job = await newJob(host, {
    schedule: { type: 'at', datetime: '2026-01-05T13:00:00Z' },
    delivery: { channel: 'webhook', url },
  })
  await pass(host, hour)
  const counts = [received.length]
  for (const pause of [5 * second, 30 * second, 2 * minute, 10 * minute, hour]) {
    await pass(host, pause - second)
    counts.push(received.length)
    if (counts.length === 3)
      expect(await runsOf(host, job)).toMatchObject([
        { status: 'succeeded', delivery_status: 'pending', delivery_error: 'The receiver returned 302' },
      ])
    await pass(host, second)
    counts.push(received.length)
  }
  expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6])
  expect(await runsOf(host, job)).toMatchObject([
    { status: 'succeeded', delivery_status: 'delivered', delivery_attempts: 6, delivery_error: null },
  ])
  expect(models.calls).toHaveLength(1)
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await site.close()
})

test('after the last attempt the delivery has failed, and can be repeated manually', async () => {
  const { site, received, url } = await receiver([500, 500, 500, 500, 500, 500])
  const models = scriptedModels(text('Once'))
  const host = await testHost({ models, outbound: site.outbound })
  const job = await newJob(host, {
    schedule: { type: 'at', datetime: '2026-01-05T13:00:00Z' },
    delivery: { channel: 'webhook', url },
  })
  await pass(host, hour)
  for (let index = 0; index < 6; index += 1) await pass(host, hour)
  const [run] = await runsOf(host, job)
  expect(run).toMatchObject({ status: 'succeeded', delivery_status: 'failed', delivery_attempts: 6 })
  expect(run?.delivery_error).toBe('The receiver returned 500')
  expect(host.events).toContain('job.delivery.failed')

  expect((await again(host, run)).status).toBe(200)
  await workOff(host)
  expect(await runsOf(host, job)).toMatchObject([{ delivery_status: 'delivered', delivery_attempts: 1 }])
  expect(received).toHaveLength(7)
  expect(models.calls).toHaveLength(1)
  await site.close()
})

test('a delivery that the guard refuses or that has no channel fails at once, with the reason', async () => {
  const host = await testHost({ models: scriptedModels(text('A'), text('B')), outbound: createOutbound() })
  const hidden = await newJob(host, { delivery: { channel: 'webhook', url: 'http://127.0.0.1:9/hook' } })
  const body = { platform: 'webhook', credentials: { secret: 'a secret of a channel' } }
  const { id } = await (await call(createChannel, host, { body })).json()
  const unknown = await newJob(host, { delivery: { channel: id } })
  await call(removeChannel, host, { params: { id } })
  await pass(host, hour)
  expect(await runsOf(host, hidden)).toMatchObject([
    { status: 'succeeded', delivery_status: 'failed', delivery_error: expect.stringContaining('guard') },
  ])
  expect(await runsOf(host, unknown)).toMatchObject([
    { delivery_status: 'failed', delivery_error: expect.stringContaining('was not found') },
  ])
})

test('only the result of the last attempt is delivered, even a failure', async () => {
  const { site, received, url } = await receiver()
  const host = await testHost({ models: scriptedModels(failing(), failing()), outbound: site.outbound })
  const retry = { max_attempts: 2, strategy: 'fixed', base_delay: 10 }
  const job = await newJob(host, { retry, delivery: { channel: 'webhook', format: 'text', url } })
  await pass(host, hour)
  await pass(host, 12 * second)
  const statuses = (await runsOf(host, job)).map(({ delivery_status }) => delivery_status)
  expect(statuses).toEqual(['none', 'delivered'])
  expect(received).toHaveLength(1)
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    type: 'job.run.failed',
    data: { text: 'failed: the vendor answers nonsense' },
  })
  await site.close()
})

test('results are mailed through the server in the settings', async () => {
  await using smtp = await startSmtp()
  const outbound = createOutbound({ resolve: async () => ['127.0.0.1'] })
  const mail = createMail((host, port) => outbound.locateHost(host, port), { ca: certificate })
  const host = await testHost({ models: scriptedModels(text('**Good** morning'), text('And again')), mail })
  const delivery = { channel: 'email', format: 'markdown', to: 'ada@example.com, bob@example.com' }
  const job = await newJob(host, { name: 'Briefing', delivery })
  await pass(host, hour)
  const [first] = await runsOf(host, job)
  expect(first).toMatchObject({
    delivery_status: 'failed',
    delivery_error: expect.stringContaining('disabled in the settings'),
  })

  const settings = {
    enabled: true,
    host: 'mail.test',
    port: smtp.port,
    from: 'Hearth <hearth@example.com>',
    username: 'ada',
    password: 'right',
  }
  expect((await call(updateEmail, host, { body: settings })).status).toBe(200)
  await again(host, first)
  await workOff(host)
  expect(await runsOf(host, job)).toMatchObject([{ delivery_status: 'delivered', delivery_error: null }])
  expect(smtp.mails).toMatchObject([{ to: ['ada@example.com', 'bob@example.com'], user: 'ada', encrypted: true }])
  expect(smtp.mails[0]?.text).toContain('Subject: Briefing')
  expect(smtp.mails[0]?.text).toContain('## Briefing')
  expect(smtp.mails[0]?.text).toContain('**Good** morning')
})

test('a mail server that refuses is tried again', async () => {
  await using smtp = await startSmtp()
  const outbound = createOutbound({ resolve: async () => ['127.0.0.1'] })
  const mail = createMail((host, port) => outbound.locateHost(host, port), { ca: certificate })
  const host = await testHost({ models: scriptedModels(text('Good morning')), mail })
  const settings = { enabled: true, host: 'mail.test', port: smtp.port, from: 'hearth@example.com' }
  await call(updateEmail, host, { body: settings })
  const job = await newJob(host, { delivery: { channel: 'email', to: 'nobody@example.com' } })
  await pass(host, hour)
  const [run] = await runsOf(host, job)
  expect(run).toMatchObject({ status: 'succeeded', delivery_status: 'pending', delivery_attempts: 1 })
  expect(run?.delivery_error).toContain('No such mailbox')
  await call(update, host, {
    params: { id: job.id },
    body: { delivery: { channel: 'email', to: 'ada@example.com' } },
  })
  await pass(host, 5 * second)
  expect(await runsOf(host, job)).toMatchObject([{ delivery_status: 'delivered', delivery_attempts: 2 }])
})

const chatsOf = async (host: Host) =>
  (await listConversations(localContext(host), { kind: 'user', limit: 10, offset: 0 })).rows

test('results are collected in one conversation of the job, which a person can answer', async () => {
  const host = await testHost({ models: scriptedModels(text('One'), text('Two'), text('Three')) })
  const job = await newJob(host, { name: 'News', delivery: { channel: 'chat' } })
  await pass(host, hour)
  await pass(host, hour)
  const [place, ...more] = await chatsOf(host)
  expect(more).toEqual([])
  expect(place).toMatchObject({ title: 'News', message_count: 2, status: 'idle' })
  const { messages } = await conversationOf(host, place?.id)
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ['assistant', 'One'],
    ['assistant', 'Two'],
  ])
  expect(host.events.filter((type) => type === 'message.injected')).toHaveLength(2)

  await call(removeConversation, host, { params: { id: place?.id ?? '' } })
  await pass(host, hour)
  expect(await chatsOf(host)).toMatchObject([{ title: 'News', message_count: 1 }])
  expect((await runsOf(host, job)).map(({ delivery_status }) => delivery_status)).toEqual(Array(3).fill('delivered'))
})

test('results are added to the conversation that the job names', async () => {
  const host = await testHost({ models: scriptedModels(text('First\n\nSecond'), text('Lost')) })
  const other = await newJob(host, {
    schedule: { type: 'at', datetime: '2026-01-05T12:30:00Z' },
    delivery: { channel: 'chat' },
  })
  await pass(host, 30 * minute)
  const [place] = await chatsOf(host)
  const job = await newJob(host, {
    schedule: { type: 'at', datetime: '2026-01-05T13:00:00Z' },
    delivery: { channel: 'chat', format: 'summary', to: place?.id },
  })
  await pass(host, hour)
  const { messages } = await conversationOf(host, place?.id)
  expect(messages).toHaveLength(2)
  expect(messages[1]?.content).toMatch(/^Job: succeeded in 0 s, 15 tokens\nLost$/)
  expect(await runsOf(host, job)).toMatchObject([{ delivery_status: 'delivered' }])
  expect(await runsOf(host, other)).toMatchObject([{ delivery_status: 'delivered' }])

  const gone = await (await call(createConversation, host, { body: {} })).json()
  await call(update, host, {
    params: { id: job.id },
    body: { delivery: { channel: 'chat', to: gone.id } },
  })
  await call(removeConversation, host, { params: { id: gone.id } })
  const [run] = await runsOf(host, job)
  await again(host, run)
  await workOff(host)
  expect(await runsOf(host, job)).toMatchObject([{ delivery_error: `There is no conversation ${gone.id}` }])
})

test('a delivery that can never succeed is refused when the job is created', async () => {
  const host = await testHost()
  const base = { name: 'Job', goal: 'Go', schedule: { type: 'every', interval: 60 } }
  const create422 = async (delivery: unknown) => {
    const response = await call(create, host, { body: { ...base, delivery } })
    return `${response.status} ${await response.text()}`
  }
  expect(await create422({ channel: 'webhook' })).toContain('delivery.url')
  expect(await create422({ channel: 'webhook', url: 'ftp://example.com' })).toContain('delivery.url')
  expect(await create422({ channel: 'email', to: 'ada@example.com, bob' })).toContain('bob is not an email address')
})

test('a job without delivery has nothing to deliver again', async () => {
  const host = await testHost({ models: scriptedModels(text('Quiet')) })
  const job = await newJob(host)
  await pass(host, hour)
  const [run] = await runsOf(host, job)
  expect(run?.delivery_status).toBe('none')
  expect((await again(host, run)).status).toBe(409)
})
