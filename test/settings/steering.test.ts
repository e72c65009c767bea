import { expect, test } from 'vitest'
import { create as login, me } from '../../handlers/auth/session.ts'
import { list as listCheckIns } from '../../handlers/chat/check-ins.ts'
import { update as rename } from '../../handlers/chat/conversations.ts'
import { send } from '../../handlers/chat/stream.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { cleanTitle, titleFrom } from '../../runtime/chat/title.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { pruneExpired } from '../../runtime/prune.ts'
import { patternProblem, Redaction } from '../../runtime/secrets/redaction.ts'
import { day, hour, minute, second } from '../../runtime/time.ts'
import { workContext } from '../../runtime/work/run.ts'
import { call } from '../support/call.ts'
import { chat, onlyApproval, onlyConversation } from '../support/chat.ts'
import { client } from '../support/client.ts'
import { setUpAdmin, testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const { update: updateAgent } = sections.agent
const { update: updateProactive } = sections.proactive
const { update: updateSecurity } = sections.security

const right = { username: 'ada', password: 'correct horse battery' }

test('a session lasts as long as the settings say, and a change ends older ones', async () => {
  const host = await testHost()
  await setUpAdmin(host)
  const ask = client(host)
  const old = await (await ask(login, { body: right })).json()
  await host.clock.advance(3 * hour)
  expect((await ask(me, { key: old.token })).status).toBe(200)
  await call(updateSecurity, host, { body: { session_hours: 2 } })
  expect((await ask(me, { key: old.token })).status).toBe(401)
  expect((await (await ask(login, { body: right })).json()).expires_at).toBe('2026-01-05T17:00:00.000Z')
})

test('an approval waits as long as the settings say', async () => {
  const ask = toolCall('http_request', { method: 'POST', url: 'https://example.com/' })
  const { host } = await withVendor(ask, text('Then not.'))
  await call(updateSecurity, host, { body: { approval_timeout_minutes: 5 } })
  const sent = await call(send, host, { body: { message: 'Post it' } })
  await workOff(host)
  const { requested_at, expires_at } = await onlyApproval(host)
  expect(Date.parse(expires_at) - Date.parse(requested_at)).toBe(5 * minute)
  await host.clock.advance(5 * minute)
  await workOff(host)
  expect((await onlyApproval(host)).status).toBe('expired')
  await sent.body?.cancel()
})

test('the audit log is kept as long as the settings say', async () => {
  const host = await testHost()
  await call(updateSecurity, host, { body: { audit_retention_days: 10 } })
  await host.clock.advance(9 * day)
  await pruneExpired(host)
  expect(await host.sql.read('SELECT action FROM audit')).toHaveLength(1)
  await host.clock.advance(2 * day)
  await pruneExpired(host)
  expect(await host.sql.read('SELECT action FROM audit')).toEqual([])
})

async function withVendor(...script: Parameters<typeof scriptedModels>) {
  const models = scriptedModels(...script)
  const host = await testHost({ models })
  const context = workContext(host, { id: 'test' }, host.process.stopping)
  await configureProvider(context, {
    provider: 'openai',
    api_key: 'sk-test-key-of-length',
    default_model: 'gpt-4o-mini',
  })
  host.events.length = 0
  return { host, models }
}

test('an answer that takes too long ends with a timeout and keeps its text', async () => {
  const begun = Promise.withResolvers<void>()
  const { host } = await withVendor(async function* ({ signal }) {
    yield { type: 'text', text: 'So far' }
    begun.resolve()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  await call(updateAgent, host, { body: { timeout_seconds: 30 } })
  const talking = chat(host, { message: 'Think' })
  await begun.promise
  await host.clock.advance(31 * second)
  const last = (await talking).at(-1)
  expect(last).toMatchObject({ event: 'error', data: { code: 'timeout' } })
})

test('the default model answers for agents that choose none', async () => {
  const { host, models } = await withVendor(text('Hello.'), text('Hello.'))
  await call(updateAgent, host, { body: { default_model: 'openai/gpt-4.1' } })
  await chat(host, { message: 'Hello' })
  expect(models.calls[0]?.model).toBe('gpt-4.1')
  await call(updateAgent, host, { body: { default_model: 'anthropic/gone' } })
  await chat(host, { message: 'Hello' })
  expect(models.calls[1]?.model).toBe('gpt-4o-mini')
})

test('a chat gets a title after its first exchange, once, and it is in the ledger', async () => {
  const { host, models } = await withVendor(text('Twice a week.'), text('In the evening.'))
  models.title = text('"Watering the tomato plants in the garden."')
  await chat(host, { message: 'Can you please tell me how often I water the tomatoes?' })
  const conversation = await onlyConversation(host)
  expect(conversation.title).toBe('Watering the tomato plants in the')
  expect(host.events.filter((type) => type === 'conversation.updated').length).toBeGreaterThan(0)
  await chat(host, { message: 'And when?', conversation_id: conversation.id })
  expect(models.titles).toHaveLength(1)
  const calls = await host.sql.read('SELECT conversation_id, message_id FROM model_calls WHERE message_id IS NULL')
  expect(calls).toEqual([{ conversation_id: conversation.id, message_id: null }])
})

test('a title that a person sets in the meantime is kept', async () => {
  const { host, models } = await withVendor(text('Twice a week.'))
  const asking = Promise.withResolvers<void>()
  const renamed = Promise.withResolvers<void>()
  models.title = async function* () {
    asking.resolve()
    await renamed.promise
    yield { type: 'text', text: 'Tomatoes' }
    yield { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 }
  }
  const talking = chat(host, { message: 'How often do I water them?' })
  await asking.promise
  const { id } = await onlyConversation(host)
  await call(rename, host, { params: { id }, body: { title: 'My garden' } })
  renamed.resolve()
  await talking
  expect((await onlyConversation(host)).title).toBe('My garden')
})

test.each([
  ['a failure', [new ModelError('overloaded', 'busy')]],
  ['nothing', text('')],
])('after %s the first words stay', async (_, title) => {
  const { host, models } = await withVendor(text('Twice a week.'))
  models.title = title
  await chat(host, { message: 'How often do I water them?' })
  expect(models.titles).toHaveLength(1)
  expect((await onlyConversation(host)).title).toBe('How often do I water them?')
})

test('the offline model never generates titles, and no model does if they are disabled', async () => {
  const offline = await testHost()
  await chat(offline, { message: 'Hello, please remember that I like tea' })
  expect((await onlyConversation(offline)).title).toBe('Remember that I like tea')
  expect(await offline.sql.read("SELECT id FROM work WHERE kind = 'chat.title'")).toEqual([])
  const { host, models } = await withVendor(text('Hi.'))
  await call(updateAgent, host, { body: { titles: false } })
  await chat(host, { message: 'Hello' })
  expect(models.titles).toEqual([])
})

test.each([
  ['# Plan my *week*', 'Plan my week'],
  ['```js\ncode()\n```', 'code()'],
  ['Could you please fix the roof', 'Fix the roof'],
  ['', 'New conversation'],
  ['a '.repeat(80), `${'a '.repeat(29)}a…`],
])('titleFrom(%j)', (said, title) => expect(titleFrom(said)).toBe(title))

test.each([
  ['Title: "Garden plans."', 'Garden plans'],
  ['**One two three four five six seven**', 'One two three four five six'],
  ['<b>Roof</b>\n\nMore', 'Roof'],
  ['\u202eevil', 'evil'],
  ['  ', null],
])('cleanTitle(%j)', (said, title) => expect(cleanTitle(said)).toBe(title))

const arm = (delay_minutes: number) =>
  toolCall('arm_check_in', { delay_minutes, waiting_on: 'the build', estimate_basis: 'a guess' })

test('a check-in due in quiet hours waits for their end', async () => {
  const { host, models } = await withVendor(arm(30), text('I wait.'), text('The build is green.'))
  await call(updateProactive, host, { body: { quiet_hours: { start: '12:15', end: '14:00' } } })
  await chat(host, { message: 'Watch the build' })
  await host.clock.advance(45 * minute)
  await workOff(host)
  expect(models.calls).toHaveLength(2)
  await host.clock.advance(75 * minute)
  await workOff(host)
  expect(models.calls).toHaveLength(3)
})

test('a check-in due while check-ins are disabled is delivered once they are enabled again', async () => {
  const { host, models } = await withVendor(arm(30), text('I wait.'), text('The build is green.'))
  await chat(host, { message: 'Watch the build' })
  await call(updateProactive, host, { body: { enabled: false } })
  await host.clock.advance(40 * minute)
  await workOff(host)
  expect(models.calls).toHaveLength(2)
  await call(updateProactive, host, { body: { enabled: true } })
  await workOff(host)
  expect(models.calls).toHaveLength(3)
})

test('while disabled, none is armed, neither by the agent nor automatically', async () => {
  const { host } = await withVendor(arm(30), text("I'll let you know when it is done."))
  await call(updateProactive, host, { body: { check_ins: false } })
  const events = await chat(host, { message: 'Watch the build' })
  expect(events.find(({ event }) => event === 'tool_result')?.data.output).toContain('switched off')
  const { id } = await onlyConversation(host)
  expect(await (await call(listCheckIns, host, { params: { id } })).json()).toEqual({ check_ins: [] })
})

test('text that the patterns match is in no log line and no tool result', async () => {
  const { host } = await withVendor(toolCall('time', { timezone: 'Europe/Berlin' }), text('Late.'))
  await call(updateSecurity, host, { body: { redact_patterns: ['Europe/\\w+'] } })
  const events = await chat(host, { message: 'What time is it?' })
  const result = JSON.stringify(events.find(({ event }) => event === 'tool_result')?.data)
  expect(result).not.toContain('Europe/Berlin')
  host.log.write('info', 'moved to Europe/Berlin', { zone: ['Europe/Berlin'] })
  expect(JSON.stringify(host.log.lines)).not.toContain('Europe/Berlin')
})

test.each([
  ['project-\\w+', null],
  ['[a-z]{3,8}@corp\\.example', null],
  ['(foo|bar)-1', null],
  ['(', 'is not a regular expression'],
  ['a*', 'must not match the empty text'],
  ['(a+)+b', null],
  ['a(?=b)', 'must not look ahead or behind'],
  ['(?<!a)b', 'must not look ahead or behind'],
  ['(a)\\1', 'must not refer back to a group'],
  ['a+b+c+d+e', null],
  ['[(a+)+]x', null],
])('a pattern %j: %s', (source, problem) => expect(patternProblem(source)).toBe(problem))

test('redaction follows the settings and copies plain values only', async () => {
  const redaction = new Redaction()
  const value = { a: ['secret-1', 2, null], b: { c: 'ok' } }
  expect(redaction.value(value)).toEqual(value)
  await redaction.use(['secret-\\d', '(x+)+y', '\\p{Script=Han}{2}'])
  expect(redaction.value(value)).toEqual({ a: ['[redacted]', 2, null], b: { c: 'ok' } })
  expect(redaction.text('a SECRET-1\nb')).toBe('a [redacted]\nb')
  expect(redaction.text(`${'x'.repeat(20_000)} 東京`)).toBe(`${'x'.repeat(20_000)} [redacted]`)
  await redaction.use([])
  expect(redaction.text('secret-1')).toBe('secret-1')
})
