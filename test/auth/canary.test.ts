import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { list as audit } from '../../handlers/auth/audit.ts'
import { create as createKey, list as listKeys, rotate } from '../../handlers/auth/keys.ts'
import { create as login, me, ticket, validate } from '../../handlers/auth/session.ts'
import { admin, provider } from '../../handlers/auth/setup.ts'
import { list as listUsers, password, create as register, update } from '../../handlers/auth/users.ts'
import { create as createChannel, list as listChannels, log } from '../../handlers/channels/channels.ts'
import { postWebhook } from '../../handlers/channels/webhook.ts'
import { IssuedKey, LoginResult, SetupResult, Ticket, User } from '../../runtime/auth/schema.ts'
import { eventsTopic } from '../../runtime/events/event.ts'
import { client } from '../support/client.ts'
import { testHost } from '../support/host.ts'

/** Everything that a host keeps or says by itself, as one text. */
async function remains(host: MemoryHost, frames: unknown[]): Promise<string> {
  const tables = await host.sql.read<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
  const rows = await Promise.all(tables.map(({ name }) => host.sql.read(`SELECT * FROM "${name}"`)))
  return JSON.stringify([rows, host.log.lines, frames, await host.metrics.text()])
}

test('no secret appears in the database, the log, the events, the metrics, a list or an error', async () => {
  const host = await testHost({}, { setup_token: 'canary-setup-token' })
  const frames: unknown[] = []
  host.bus.subscribe(eventsTopic, (frame) => void frames.push(frame))
  const send = client(host)
  const idempotent = (request: string) => ({ 'idempotency-key': `canary ${request}` })
  const secrets = [
    'canary-setup-token',
    'canary horse battery',
    'canary second password',
    'sk-canary-0123456789',
    'canary channel secret',
  ]

  const remote = { address: '203.0.113.7', local: false }
  await send(provider, { body: { provider: 'openai', api_key: 'sk-canary-0123456789' } })
  const setup = { username: 'ada', password: 'canary horse battery' }
  const token = { 'x-setup-token': 'canary-setup-token', ...idempotent('setup') }
  const first = SetupResult.parse(await (await send(admin, { body: setup, from: remote, headers: token })).json())
  const { key } = first.api_key
  const made = IssuedKey.parse(
    await (await send(createKey, { key, body: { name: 'ci' }, headers: idempotent('create') })).json(),
  )
  const turned = IssuedKey.parse(
    await (await send(rotate, { key, params: { id: made.id }, headers: idempotent('rotate') })).json(),
  )
  const session = LoginResult.parse(await (await send(login, { body: setup })).json())
  const pass = Ticket.parse(await (await send(ticket, { key: session.token })).json())
  const change = { current_password: 'canary horse battery', new_password: 'canary second password' }
  await send(password, { key: session.token, body: change })
  const bob = User.parse(await (await send(register, { key, body: { ...setup, username: 'bob' } })).json())
  await send(update, { key, params: { id: bob.id }, body: { password: 'canary second password' } })
  const credentials = { secret: 'canary channel secret' }
  const channel = { platform: 'webhook', credentials }
  const { id } = await (await send(createChannel, { key, body: channel, headers: idempotent('channel') })).json()
  await send(postWebhook, { params: { platform: 'webhook', channel_id: id }, body: {} })
  secrets.push(key, first.session.token, made.key, turned.key, session.token, pass.ticket)

  // What went wrong, and what lists and errors say of it.
  const answers = [
    await send(login, { body: { username: 'canary horse battery', password: 'canary second password' } }),
    await send(me, { key: `${key}x` }),
    await send(me, { key: made.key }),
    await send(validate, { key }),
    await send(createKey, { key, body: { name: { deep: key } } }),
    await send(listKeys, { key }),
    await send(listUsers, { key }),
    await send(audit, { key }),
    await send(listChannels, { key }),
    await send(log, { key, params: { id } }),
    await send(me, { key }),
  ]
  const said = await Promise.all(answers.map((answer) => answer.text()))
  const everything = (await remains(host, frames)) + said.join('\n')

  expect(everything).toContain(made.id)
  for (const secret of secrets) expect(everything.includes(secret), secret.slice(0, 10)).toBe(false)
})
