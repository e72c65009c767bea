import { describe, expect, test } from 'vitest'
import { noMail } from '../../adapters/memory/absent.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { createMemorySecrets } from '../../adapters/memory/secrets.ts'
import * as agents from '../../handlers/agents/agents.ts'
import { list as audit } from '../../handlers/auth/audit.ts'
import { create as createChannel } from '../../handlers/channels/channels.ts'
import * as conversations from '../../handlers/chat/conversations.ts'
import * as hooks from '../../handlers/hooks/hooks.ts'
import { create as createIncoming } from '../../handlers/hooks/incoming.ts'
import { logs } from '../../handlers/monitoring/logs.ts'
import { setKey } from '../../handlers/providers/providers.ts'
import * as general from '../../handlers/settings/general.ts'
import { create as createServer } from '../../handlers/settings/mcp.ts'
import * as memory from '../../handlers/settings/memory.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { exportFile } from '../../handlers/workflows/catalog.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import type { Area } from '../../runtime/area.ts'
import { assembleHost } from '../../runtime/assemble.ts'
import { auditStatement } from '../../runtime/auth/audit.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { sendToChannel } from '../../runtime/channels/send.ts'
import { draft, insertMessage } from '../../runtime/chat/message-store.ts'
import { pushNotice } from '../../runtime/devices/push.ts'
import { commit } from '../../runtime/events/commit.ts'
import { addEpisode } from '../../runtime/memory/episodes.ts'
import { NewEpisode } from '../../runtime/memory/schema.ts'
import { alertDelivery } from '../../runtime/monitoring/alert-delivery.ts'
import type { Attributes, Tracer } from '../../runtime/ports/tracer.ts'
import { toBase64Url } from '../../runtime/secrets/base64.ts'
import { redactForms } from '../../runtime/secrets/redact.ts'
import { Redaction } from '../../runtime/secrets/redaction.ts'
import { signStandard } from '../../runtime/secrets/signatures.ts'
import { sendEmail } from '../../runtime/settings/email.ts'
import { channelHost, pairOwner } from '../channels/kit.ts'
import { hostWith, newWebhook, receiver } from '../hooks/kit.ts'
import { added } from '../monitoring/alert-kit.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { newJob } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'

/** Each place at which text leaves the daemon, with a text that holds every form of credential. */

const hex = '0123456789abcdef'.repeat(4)
const storedKey = 'q8ZrT0mVw3LxYb5NcKd7HfJg2PsAe9Xu'
const pem = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGLkJ7c0\n-----END EC PRIVATE KEY-----'

/** Credentials that the daemon stores or issues. */
const own = [storedKey, `svc_${hex}`, `sess_${hex}`, `dev_${hex}`, `whsec_${'Ab+/9'.repeat(8)}=`]
/** Credentials of others, recognised by their form. */
const others = [
  'sk-ant-api03-AbCdEfGh1234',
  'sk-proj-abcdefghijklmnop123',
  `ghp_${'a1B2'.repeat(9)}`,
  `github_pat_${'a1B2'.repeat(9)}`,
  'xoxb-123456789012-abcdefghij',
  'AKIAIOSFODNN7EXAMPLE',
  `AIza${'Sy0'.repeat(12)}`,
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
  pem,
]
const all = [...own, ...others]
const text = `Keep these: ${all.join(' and ')} in mind`

/** The part of a secret that no redaction would leave. */
const tail = (secret: string) => (secret === pem ? 'MHcCAQEEIIGLkJ7c0' : secret.slice(-10))

function expectClean(left: string, secrets = all): void {
  expect(left).toContain('Keep these')
  expect(left).toContain('[redacted]')
  for (const secret of secrets) expect(left.includes(tail(secret)), secret).toBe(false)
}

const withKey = async (host: MemoryHost) => {
  await call(setKey, host, { params: { id: 'mistral' }, body: { api_key: storedKey } })
  return host
}

describe('webhooks', () => {
  test('a message and a value in depth, signed as they are sent', async () => {
    const site = receiver()
    const host = await withKey(await hostWith(site))
    const { secret } = await newWebhook(host, { events: ['message.received', 'chain.created'] })
    await chat(host, { message: text })
    const data = { chain_id: 'chain_1', name: text }
    await commit(host, [], [{ type: 'chain.created', data, owner_id: '' }])
    await workOff(host)

    expect(site.received).toHaveLength(2)
    for (const { body, headers } of site.received) {
      expectClean(body)
      const sent = { id: headers['webhook-id'] ?? '', timestamp: Number(headers['webhook-timestamp']), body }
      expect(await signStandard([secret], sent)).toMatchObject({
        'webhook-signature': headers['webhook-signature'],
      })
    }
    expectClean(JSON.stringify(await host.sql.read('SELECT * FROM webhook_deliveries')))
  })

  test('the result of a job', async () => {
    const site = receiver()
    const host = await withKey(await hostWith(site))
    const delivery = { channel: 'webhook', url: 'https://example.org/in' }
    await newJob(host, { name: text.slice(0, 190), goal: text, delivery })
    await host.clock.advance(3_600_000)
    await workOff(host)
    expect(site.received).toHaveLength(1)
    expectClean(site.received[0]?.body ?? '')
  })

  test('an alert', async () => {
    const site = receiver()
    const host = await withKey(await hostWith(site))
    const alert = await added(host, {
      ...{ condition: 'queue_depth > threshold', threshold: 1, period_minutes: 1 },
      name: `Keep these: ${storedKey} ${others[0]}`,
      delivery: { type: 'webhook', url: 'https://example.org/in' },
    })
    const payload = {
      ...{
        event: 'fired',
        at: '2026-01-05T12:00:00.000Z',
        alert_id: alert.id,
        condition: 'queue_depth > threshold',
        by: null,
      },
      ...{ name: text, threshold: 1, period_minutes: 1, value: 1 },
    }
    await alertDelivery.run({ id: 'w', subject: alert.id, payload, attempt: 1 } as never, localContext(host))
    expectClean(site.received[0]?.body ?? '')
  })
})

describe('hooks', () => {
  const action = { kind: 'http', url: 'https://example.org/in' }

  test('an event, also in a template', async () => {
    const site = receiver()
    const host = await withKey(await hostWith(site))
    for (const body of ['', '{{ data.text }}'])
      await call(hooks.create, host, {
        body: { name: 'x', events: ['message.received'], action: { ...action, body } },
      })
    await chat(host, { message: text })
    await workOff(host)
    expect(site.received).toHaveLength(2)
    for (const { body } of site.received) expectClean(body)
  })

  test('the input of a decision; what the hook returns unchanged is not redacted', async () => {
    const site = receiver(({ body }) => {
      const { data } = JSON.parse(body) as { data: { input: object } }
      return { status: 200, body: JSON.stringify({ decision: 'allow', input: { ...data.input, extra: 1 } }) }
    })
    const host = await withKey(await hostWith(site))
    await call(hooks.create, host, {
      body: { name: 'x', events: ['message.received'], blocking: true, action },
    })
    const events = await chat(host, { message: text })
    expectClean(site.received[0]?.body ?? '')
    const start = events.find(({ event }) => event === 'message_start')
    const { messages } = await conversationOf(host, start?.data.conversation_id)
    expect(messages[0]?.content).toBe(text)
  })

  test('a decision on this machine sees the whole input', async () => {
    const host = await testHost()
    const expression = `$contains(data.text, 'ghp_') ? 'deny' : 'allow'`
    await call(hooks.create, host, {
      body: {
        ...{ name: 'x', events: ['message.received'], blocking: true },
        action: { kind: 'decide', expression },
      },
    })
    await expect(chat(host, { message: text })).rejects.toThrow(/refused|denied|403|409/)
  })
})

test('a message of an agent on a channel, however it is split', async () => {
  const kit = await channelHost({}, {})
  await withKey(kit.host)
  await pairOwner(kit)
  const markdown = `${'x '.repeat(90)}${text}`
  await sendToChannel(localContext(kit.host), { channel_id: kit.channel.id, markdown })
  await workOff(kit.host)
  expect(kit.script.texts.length).toBeGreaterThan(1)
  expectClean(kit.script.texts.join(' '))
})

test('an email', async () => {
  const sent: unknown[] = []
  const mail = {
    ...noMail,
    send: async (message: { to: readonly string[] }) => {
      sent.push(message)
      return { message_id: 'm', accepted: [...message.to], rejected: [] }
    },
  }
  const host = await withKey(await testHost({ mail }))
  await call(sections.email.update, host, { body: { enabled: true, host: 'mail.test', from: 'a@b.example' } })
  await sendEmail(localContext(host), { subject: text, text })
  expectClean(JSON.stringify(sent))
})

test('a notification of a push service', async () => {
  const payloads: string[] = []
  const push = {
    generateKeys: async () => ({ public_key: 'p', private_key: 'q' }),
    request: async (_: unknown, { payload }: { payload: string }) => {
      payloads.push(payload)
      return { url: 'https://push.example', headers: {}, body: new Uint8Array() }
    },
  }
  const host = await withKey(await testHost({ push, outbound: receiver().outbound }))
  const target = { endpoint: 'https://push.example', keys: { p256dh: 'key', auth: 'secret' } }
  const phone = { id: 'dev_1', push: target, expired: { sql: 'SELECT 1' } }
  await pushNotice(localContext(host), phone, { title: text, body: text })
  expectClean(payloads.join())
})

test('lines of the log, names of fields included, and the audit log', async () => {
  const host = await withKey(await testHost())
  host.log.write('warn', text, { [text]: { deep: [text] } })
  await host.sql.write([auditStatement(localContext(host), { action: 'x', target: text })])
  expectClean(JSON.stringify(host.log.lines))
  expectClean(await (await call(logs, host)).text())
  expectClean(await (await call(audit, host)).text())
})

test('names and attributes of spans', async () => {
  const host = await testHost()
  const recorded: unknown[] = []
  const span = {
    set: (attributes: Attributes) => void recorded.push(attributes),
    fail: (error: string) => void recorded.push(error),
    end: (error?: string) => void recorded.push(error),
  }
  const parents: unknown[] = []
  const tracer: Tracer = {
    start(name, parent, attributes) {
      parents.push(parent)
      recorded.push(name, attributes)
      return span
    },
  }
  const { areas, config } = host
  const traced = assembleHost({
    ...{ ports: host, areas, config, tracer, stopping: host.process.stopping, wake: () => undefined },
  })
  traced.process.redaction.remember(storedKey)
  const above = traced.tracer?.start(text, undefined, { a: text })
  above?.set({ b: text })
  traced.tracer?.start(text, above, {}).fail(text)
  above?.end(text)
  expectClean(JSON.stringify(recorded))
  expect(parents).toEqual([undefined, span])
})

describe('exports', () => {
  test('settings, agents and workflows; patterns stay patterns', async () => {
    const host = await withKey(await testHost())
    const pattern = `svc_${hex}`
    await call(sections.security.update, host, { body: { redact_patterns: [pattern, 'zebra-\\d+'] } })
    const agent = await (
      await call(agents.create, host, { body: { name: 'A', system_prompt: `${text} zebra-77` } })
    ).json()
    const node = { id: 'n', type: 'set', name: 'n', params: { values: { [text]: text } } }
    const workflow = await (
      await call(workflows.create, host, { body: { name: 'W', description: text, nodes: [node] } })
    ).json()

    const settings = await (await call(general.download, host)).json()
    expect(settings.sections.security.redact_patterns).toEqual([pattern, 'zebra-\\d+'])
    delete settings.sections.security
    expectClean(JSON.stringify(settings))
    expect(JSON.stringify(settings)).not.toContain('zebra-77')
    expectClean(await (await call(agents.exportOne, host, { params: { id: agent.id } })).text())
    expectClean(await (await call(exportFile, host, { params: { id: workflow.id } })).text())
  })

  test('a conversation and memory keep the words of people, but no credential of the daemon', async () => {
    const host = await withKey(await testHost())
    const made = await (await call(conversations.create, host, { body: { title: 'Keys' } })).json()
    await host.sql.write([insertMessage(draft(localContext(host), made.id, { role: 'user', content: text }))])
    await addEpisode(localContext(host), NewEpisode.parse({ content: text }))
    for (const format of ['json', 'markdown']) {
      const file = await call(conversations.exportOne, host, { params: { id: made.id }, query: { format } })
      const exported = await file.text()
      expectClean(exported, own)
      expect(exported).toContain(others[0])
    }
    expectClean(await (await call(memory.download, host)).text(), own)
  })
})

/** Each place that stores a credential of a person or a service, sealed. */
const stores: Record<string, (host: MemoryHost, secret: string) => Promise<unknown>> = {
  'a provider': (host, api_key) => call(setKey, host, { params: { id: 'mistral' }, body: { api_key } }),
  'a provider, by its form': (host, secret) =>
    call(setKey, host, { params: { id: 'openai' }, body: { api_key: secret } }),
  'a channel': (host, secret) => call(createChannel, host, { body: { platform: 'webhook', credentials: { secret } } }),
  'the environment of a tool server': (host, API_TOKEN) =>
    call(createServer, host, {
      body: { name: 'helper', transport: 'stdio', command: 'x', env: { API_TOKEN } },
    }),
  'the headers of a tool server': (host, secret) =>
    call(createServer, host, {
      body: {
        ...{ name: 'far', transport: 'http', url: 'https://example.org/mcp' },
        headers: { authorization: `Bearer ${secret}` },
      },
    }),
  'the headers of a hook': (host, secret) =>
    call(hooks.create, host, {
      body: {
        ...{ name: 'x', events: ['message.received'] },
        action: { kind: 'http', url: 'https://example.org/in', headers: { 'x-api-key': secret } },
      },
    }),
  'an incoming webhook': (host, secret) =>
    call(createIncoming, host, {
      body: {
        name: 'Shop',
        auth: { kind: 'token', header: 'x-token' },
        secret,
        action: { kind: 'agent', message: 'New' },
      },
    }),
  'the delivery of a job': (host, secret) =>
    newJob(host, { delivery: { channel: 'webhook', url: 'https://example.org/in', secret } }),
  'the delivery of an alert': (host, secret) =>
    added(host, {
      ...{ name: 'Queue', condition: 'queue_depth > threshold', threshold: 1, period_minutes: 1 },
      delivery: { type: 'webhook', url: 'https://example.org/in', secret },
    }),
  email: (host, password) =>
    call(sections.email.update, host, {
      body: { enabled: true, host: 'mail.test', from: 'a@b.example', password },
    }),
  'a site in the browser': (host, password) =>
    call(sections.browser_credentials.update, host, {
      body: { sites: [{ origin: 'https://example.org', username: 'ada', password }] },
    }),
}

/** A credential as headers, addresses and JSON contain it. */
const encoded: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'basic authentication': (secret) => btoa(`ada:${secret}`),
  'base64 after one character': (secret) => btoa(`x${secret}`),
  'base64 after two characters': (secret) => btoa(`xy${secret}yz`),
  base64url: (secret) => toBase64Url(new TextEncoder().encode(`"${secret}"`)),
  'part of an address': (secret) => encodeURIComponent(secret),
  'in lower case': (secret) => encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase()),
  form: (secret) => new URLSearchParams({ password: secret }).toString(),
  JSON: (secret) => JSON.stringify({ secret }),
}

test.each(Object.entries(stores))(
  'the credential of %s is redacted from the start of a process on, however it is encoded',
  async (name, store) => {
    const secret = name.endsWith('form') ? 'sk-ant-api03-AbC/dEf+Gh1234' : 'q8Zr "T0m?>~V/w3+Lx Yb5&Nc=Kd7'
    const secrets = createMemorySecrets({ cheap: true })
    const first = await testHost({ secrets })
    const answer = await store(first, secret)
    if (answer instanceof Response) expect(answer.status, await answer.clone().text()).toBeLessThan(300)
    const second = await testHost({ secrets, sql: first.sql })
    for (const encode of Object.values(encoded)) {
      second.log.write('warn', `Refused ${encode(secret)} by the vendor`)
      const message = second.log.lines.at(-1)?.message ?? ''
      expect(message).toMatch(/^Refused .{0,12}\[redacted\].{0,6} by the vendor$/)
    }
  },
)

test('every column of sealed texts is opened at the start', async () => {
  const host = await testHost()
  const columns = await host.sql.read<{ name: string }>(
    `SELECT tables.name || '.' || columns.name AS name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND columns.name LIKE 'sealed%'`,
  )
  const areas: readonly Area[] = host.areas
  const opened = areas.flatMap(({ sealed = [] }) => sealed.map(({ table, column }) => `${table}.${column}`))
  expect(columns.map(({ name }) => name).filter((name) => !opened.includes(name))).toEqual([
    // Of a person to a tool server, until its call has taken it.
    'approvals.sealed_answer',
    // Cookies and storage of sites, not credentials by name.
    'browser_auth_states.sealed',
    // Of platforms, valid for minutes.
    'channel_inbound.sealed_reply',
    'channel_outbound.sealed_reply',
  ])
})

test('of sealed objects, the members with names of credentials are redacted', () => {
  const redaction = new Redaction()
  redaction.remember(
    JSON.stringify({ API_KEY: 'Zq3-90xx1', NODE_ENV: 'production1', Authorization: 'Bearer T0ken-0-0' }),
  )
  redaction.remember('password')
  expect(redaction.text('Zq3-90xx1 production1 T0ken-0-0 password')).toBe('[redacted] production1 [redacted] password')
})

test.each([
  'job_01kb8zq3v5w6x7y8z9a0b1c2d3',
  'dev_01kb8zq3v5w6x7y8z9a0b1c2d3',
  `sha256:${hex}`,
  `data:image/png;base64,${btoa(Array.from({ length: 60_000 }, (_, at) => String.fromCharCode((at * 7919 + (at >> 3)) % 256)).join(''))}`,
  'the task-list-of-12345678 and sk-loading-container',
  'pk_conversations_by_owner_and_time',
])('unchanged: %.60s', (kept) => {
  expect(redactForms(kept)).toBe(kept)
})
