import { expect, test } from 'vitest'
import { noEmbedder } from '../../adapters/memory/embedder.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import * as api from '../../handlers/dispatcher/decisions.ts'
import * as rules from '../../handlers/dispatcher/rules.ts'
import * as settings from '../../handlers/dispatcher/settings.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { findConversation } from '../../runtime/chat/conversation-store.ts'
import { listMessages } from '../../runtime/chat/message-store.ts'
import { type Decision, DispatcherHealth, InjectResult } from '../../runtime/dispatcher/schema.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { listProjects } from '../../runtime/projects/project-store.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { pruneExpired } from '../../runtime/prune.ts'
import { day } from '../../runtime/time.ts'
import { paired } from '../devices/kit.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'

async function say(host: MemoryHost, said: string, more: object = {}, caller: Caller = adminCaller) {
  const response = await call(api.inject, host, { body: { text: said, ...more }, caller })
  expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, ''])
  return InjectResult.parse(await response.json())
}

async function correct(host: MemoryHost, id: string, body: object, caller: Caller = adminCaller) {
  const response = await call(api.override, host, { params: { id }, body, caller })
  expect(response.status).toBe(200)
  return InjectResult.parse(await response.json())
}

async function decisions(host: MemoryHost, query: Record<string, string> = {}, caller: Caller = adminCaller) {
  const response = await call(api.list, host, { query, caller })
  return (await response.json()) as { decisions: Decision[]; total: number }
}

const change = (host: MemoryHost, body: object) => call(settings.updateSettings, host, { body })

const as = (user_id: string): Caller => ({ ...adminCaller, id: user_id, user_id, scopes: ['read', 'write'] })

const count = async (host: MemoryHost, table: string) =>
  (await host.sql.read<{ total: number }>(`SELECT count(*) AS total FROM ${table}`))[0]?.total

test('a plain question starts a chat at once, and the decision is stored and announced', async () => {
  const host = await testHost()
  const result = await say(host, 'What is the capital of Peru?', { source: 'chat' })

  const agent = await requireDefaultAgent(host)
  expect(result.decision).toMatchObject({
    id: expect.stringMatching(/^dec_/),
    input_excerpt: 'What is the capital of Peru?',
    ...{
      source: 'chat',
      intent: 'question',
      method: 'rule',
      status: 'routed',
      tokens: 0,
      agent_id: agent.id,
    },
    target: result.conversation_id,
  })
  expect(result).toMatchObject({ page: `/chat/${result.conversation_id}`, message: null })
  const [asked, answer] = await listMessages(host, result.conversation_id ?? '', { limit: 10 })
  expect(asked).toMatchObject({ role: 'user', content: 'What is the capital of Peru?' })
  expect(answer?.id).toBe(result.message_id)
  expect(host.events).toContain('dispatcher.decision.created')
  const shown = await call(api.show, host, { params: { id: result.decision.id } })
  expect(await shown.json()).toEqual(result.decision)
})

test.each([
  ['Remind me tomorrow at eight about the bins', 'schedule'],
  ['How many hours is the flight to Lima?', 'question'],
  ['Remember that I like green tea', 'memory'],
  ['Translate this letter into Dutch', 'task'],
  ['Open https://example.com and read the headline', 'browser'],
])('%s is a %s and starts a turn', async (said, intent) => {
  const host = await testHost()
  const { decision, message_id } = await say(host, said)
  expect(decision).toMatchObject({ intent, status: 'routed' })
  expect(message_id).not.toBeNull()
})

test('a turn in an existing conversation is answered there', async () => {
  const host = await testHost()
  const { conversation_id } = await say(host, 'Hello')
  const second = await say(host, 'How high is Mount Fuji?', { conversation_id })
  expect(second.conversation_id).toBe(conversation_id)
})

test('a setting is answered with the page to open', async () => {
  const host = await testHost()
  const { decision, page, message_id } = await say(host, 'Where do I add an API key?')
  expect(decision).toMatchObject({ intent: 'settings', status: 'routed', target: '/settings/keys' })
  expect({ page, message_id }).toEqual({ page: '/settings/keys', message_id: null })
  expect(await count(host, 'conversations')).toBe(0)
})

test.each(['Build a website for my choir', 'Keep fixing the tests until they all pass'])(
  '%s is proposed and never started in silence',
  async (said) => {
    const host = await testHost()
    const { decision, message, message_id } = await say(host, said)
    expect(decision).toMatchObject({ status: 'clarifying', target: null })
    expect(message).toMatch(/\?$/)
    expect(message_id).toBeNull()
    expect(await count(host, 'conversations')).toBe(0)
  },
)

test('the answer to a question goes on with the same decision, once', async () => {
  const host = await testHost()
  const said = 'Build a website for my choir'
  const asked = await say(host, said)
  const more = { intent: 'project', decision_id: asked.decision.id }
  const going = await say(host, said, more)

  expect(going.decision).toMatchObject({ id: asked.decision.id, status: 'routed', method: 'override' })
  expect(going.page).toMatch(/^\/projects\/proj_/)
  expect(going.decision.target).toBe(going.page?.split('/').at(-1))
  const { rows: projects } = await listProjects(localContext(host), {
    sort_by: 'updated',
    limit: 5,
    offset: 0,
  })
  expect(projects).toEqual([expect.objectContaining({ name: said, status: 'pending', description: said })])
  expect((await decisions(host)).total).toBe(1)
  expect((await call(api.inject, host, { body: { text: said, ...more } })).status).toBe(409)
})

test('an agent is told what the person has chosen', async () => {
  const host = await testHost()
  const { conversation_id } = await say(host, 'the bins on Thursday', { intent: 'schedule' })
  const [note, asked] = await listMessages(host, conversation_id ?? '', { limit: 10 })
  expect(note).toMatchObject({ role: 'system', content: expect.stringContaining('reminder') })
  expect(asked).toMatchObject({ role: 'user', content: 'the bins on Thursday' })
  expect(await findConversation(host, conversation_id ?? '')).toMatchObject({ title: 'the bins on Thursday' })
})

test('of two answers to one question, one is carried out', async () => {
  const host = await testHost()
  const text = 'Build a website for my choir'
  const { decision } = await say(host, text)
  const body = { text, intent: 'task', decision_id: decision.id }
  const both = await Promise.all([call(api.inject, host, { body }), call(api.inject, host, { body })])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await count(host, 'conversations')).toBe(1)
})

test('below clarify_below it asks', async () => {
  const host = await testHost()
  expect((await change(host, { clarify_below: 1 })).status).toBe(200)
  const { decision, message } = await say(host, 'What is the capital of Peru?')
  expect(decision).toMatchObject({ intent: 'question', status: 'clarifying' })
  expect(message).not.toBeNull()
})

test('a dry run decides, and neither stores nor starts anything', async () => {
  const host = await testHost()
  const { decision, conversation_id } = await say(host, 'Tell me a joke', { dry_run: true })
  expect(decision).toMatchObject({ intent: 'chat', status: 'routed', target: null })
  expect(conversation_id).toBeNull()
  expect([await count(host, 'dispatcher_decisions'), await count(host, 'conversations')]).toEqual([0, 0])
})

test('an override applies to the same sentence and to similar ones, for this owner', async () => {
  const host = await testHost()
  const [ann, ben] = [as('user_ann'), as('user_ben')]
  const said = 'Summarise the news about solar power of 3 May'
  const first = await say(host, said, {}, ann)
  expect(first.decision.intent).toBe('task')
  const corrected = await correct(host, first.decision.id, { intent: 'browser' }, ann)
  expect(corrected.decision).toMatchObject({ intent: 'browser', status: 'overridden', method: 'override' })
  expect(corrected.message_id).toBeNull()
  expect(host.events).toContain('dispatcher.decision.overridden')

  const again = await say(host, said.toUpperCase(), {}, ann)
  expect(again.decision).toMatchObject({ intent: 'browser', method: 'override', status: 'routed' })
  const near = await say(host, 'Summarise the news about wind power of 12 June', {}, ann)
  expect(near.decision).toMatchObject({ intent: 'browser', method: 'override' })
  const far = await say(host, 'Summarise this letter', {}, ann)
  expect(far.decision.intent).toBe('task')
  expect((await say(host, said, {}, ben)).decision.intent).toBe('task')

  await correct(host, first.decision.id, { intent: 'question' }, ann)
  expect((await say(host, said, {}, ann)).decision.intent).toBe('question')
  expect((await call(api.show, host, { params: { id: first.decision.id }, caller: ben })).status).toBe(404)
  expect((await decisions(host, {}, ben)).total).toBe(1)
})

test('the rule of an override is listed for its owner, and no longer applies when it is deleted', async () => {
  const host = await testHost()
  const [ann, ben] = [as('user_ann'), as('user_ben')]
  const said = 'Summarise the news about solar power'
  const { decision } = await say(host, said, {}, ann)
  await correct(host, decision.id, { intent: 'browser' }, ann)
  const listed = async (caller: Caller) => (await call(rules.listRules, host, { caller })).json()
  const { rules: own } = await listed(ann)
  expect(own).toMatchObject([{ text: 'summarise the news about solar power', intent: 'browser' }])
  expect(await listed(ben)).toMatchObject({ rules: [], total: 0 })

  const params = { id: own[0].id }
  expect((await call(rules.removeRule, host, { params, caller: ben })).status).toBe(404)
  expect((await call(rules.removeRule, host, { params, caller: ann })).status).toBe(200)
  expect(host.events).toContain('dispatcher.rule.deleted')
  expect((await say(host, said, {}, ann)).decision.intent).toBe('task')
})

test('the confidence is that of the intent shown, so that a vague sentence is asked about', async () => {
  const host = await testHost()
  await change(host, { clarify_below: 0.6 })
  const { decision } = await say(host, 'that thing over there, sort of, you know')
  expect(decision.confidence).toBeLessThan(0.6)
  expect(decision.status).toBe('clarifying')
})

test('an override of a question carries it out', async () => {
  const host = await testHost()
  const { decision } = await say(host, 'Build a website for my choir')
  const going = await correct(host, decision.id, { intent: 'task' })
  expect(going.decision).toMatchObject({
    status: 'overridden',
    intent: 'task',
    target: going.conversation_id,
  })
  expect(going.message_id).not.toBeNull()
})

test('a rule for projects still asks', async () => {
  const host = await testHost()
  const { decision } = await say(host, 'Sort out the cellar')
  await correct(host, decision.id, { intent: 'project' })
  expect((await say(host, 'Sort out the cellar')).decision).toMatchObject({
    status: 'clarifying',
    intent: 'project',
  })
})

test('shared rules come before built-in rules', async () => {
  const host = await testHost()
  const rules = [{ match: 'begins_with', text: 'Lights', intent: 'settings', target: '/settings/features' }]
  expect((await change(host, { rules })).status).toBe(200)
  const { decision, page } = await say(host, 'lights in the hall off')
  expect(decision).toMatchObject({ intent: 'settings', method: 'rule' })
  expect(page).toBe('/settings/features')
})

test('an intent that is not allowed is never chosen, and a dispatcher that is off starts chats', async () => {
  const host = await testHost()
  await change(host, { allowed_intents: ['chat', 'question'] })
  const { decision } = await say(host, 'Build a website for my choir')
  expect(['chat', 'question']).toContain(decision.intent)
  await change(host, { enabled: false })
  expect((await say(host, 'Remind me tomorrow')).decision).toMatchObject({
    intent: 'chat',
    method: 'default',
  })
})

const vague = 'the blue folder on Ada’s shelf with the weekly stuff'

async function withProvider(host: MemoryHost) {
  await configureProvider(localContext(host), {
    provider: 'openai',
    api_key: 'sk-test-0123456789',
    default_model: 'm',
  })
  await change(host, { min_confidence: 1, clarify_below: 0.2 })
}

test('a model decides what rules and examples do not, and its tokens are counted', async () => {
  const models = scriptedModels(text('Sure: {"intent": "schedule", "confidence": 0.8, "reason": "weekly"}'))
  const host = await testHost({ models })
  await withProvider(host)
  const { decision } = await say(host, vague, { dry_run: true })
  expect(decision).toMatchObject({ intent: 'schedule', method: 'llm', confidence: 0.8, tokens: 15 })
  const [row] = await host.sql.read<{ category: string }>('SELECT category FROM model_calls')
  expect(row?.category).toBe('internal')
})

test.each([
  ['prose', text('I would say it is a question.')],
  ['an unknown intent', text('{"intent": "lunch", "confidence": 1}')],
  ['an error', [new ModelError('provider_unavailable', 'down')]],
])('%s of the model is no answer', async (_, step) => {
  const host = await testHost({ models: scriptedModels(step) })
  await withProvider(host)
  const { decision } = await say(host, vague, { dry_run: true })
  expect(['embedding', 'default']).toContain(decision.method)
})

test.each([
  'Erinnere mich morgen um acht an den Müll',
  'Baue eine Website für meinen Chor',
  'Passe au thème sombre',
  'Éteins mon téléphone portable',
  '合唱団のウェブサイトを作って',
])('without a model, a sentence in another language is a conversation with the default agent: %s', async (said) => {
  const host = await testHost()
  await change(host, { clarify_below: 0.9 })
  const { decision, message_id, conversation_id } = await say(host, said)
  expect(decision).toMatchObject({
    intent: 'chat',
    method: 'default',
    status: 'routed',
    target: conversation_id,
  })
  expect(message_id).not.toBeNull()
  expect(await count(host, 'projects')).toBe(0)
})

test('with a model, it decides about a sentence in another language', async () => {
  const models = scriptedModels(text('{"intent": "project", "confidence": 0.9, "reason": "a website"}'))
  const host = await testHost({ models })
  await withProvider(host)
  await change(host, { min_confidence: 0 })
  const { decision, message } = await say(host, 'Baue eine Website für meinen Chor')
  expect(decision).toMatchObject({ intent: 'project', method: 'llm', status: 'clarifying' })
  expect(message).toMatch(/project/)
})

test.each([
  [0.7, /^\/chat\//],
  [0.9, /^\/settings$/],
])('a model that is %d sure of a setting opens %s', async (confidence, page) => {
  const answer = JSON.stringify({ intent: 'settings', confidence, reason: 'a setting' })
  const host = await testHost({ models: scriptedModels(text(answer), text('Where?')) })
  await withProvider(host)
  expect((await say(host, 'Wo schalte ich das aus?')).page).toMatch(page)
})

test('an order for a device starts a conversation if there is no device, and a question if there is one', async () => {
  const host = await testHost()
  const said = 'Take a photo with my phone'
  const without = await say(host, said)
  expect(without.decision).toMatchObject({ intent: 'device', status: 'routed' })
  expect(without.message_id).not.toBeNull()
  await paired(host)
  expect((await say(host, said)).decision).toMatchObject({ intent: 'device', status: 'clarifying' })
})

test('without an embedder and without a provider it still decides', async () => {
  const host = await testHost({ embedder: noEmbedder })
  expect((await say(host, vague)).decision.method).toMatch(/embedding|default/)
})

test('bad input is refused', async () => {
  const host = await testHost()
  const { decision } = await say(host, 'Hello')
  const status = async (body: object) => (await call(api.inject, host, { body })).status
  expect(await status({})).toBe(422)
  expect(await status({ text: '   ' })).toBe(422)
  expect(await status({ text: 'x', source: 'pigeon' })).toBe(422)
  expect(await status({ text: 'x', intent: 'lunch' })).toBe(422)
  expect(await status({ text: 'x'.repeat(200_001) })).toBe(422)
  expect(await status({ text: 'x', conversation_id: 'conv_unknown' })).toBe(422)
  expect(await status({ text: 'x', decision_id: 'dec_unknown', intent: 'task' })).toBe(422)
  const params = { id: decision.id }
  for (const body of [
    { intent: 'lunch' },
    {},
    { intent: 'task', target: 'agent_none' },
    { intent: 'task', target: 'x' },
  ])
    expect((await call(api.override, host, { params, body })).status).toBe(422)
  const unknown = await call(api.override, host, { params: { id: 'dec_none' }, body: { intent: 'task' } })
  expect(unknown.status).toBe(404)
  expect((await call(api.list, host, { query: { intent: 'lunch' } })).status).toBe(400)
  for (const body of [
    { min_confidence: 2 },
    { allowed_intents: [] },
    { colour: 1 },
    { default_agent_id: 'agent_none' },
  ])
    expect((await change(host, body)).status).toBe(422)
})

test('a long text is decided by its beginning and passed on whole', async () => {
  const host = await testHost()
  const said = `Translate this: ${'word '.repeat(2_000)}`
  const { decision, conversation_id } = await say(host, said)
  expect(decision.intent).toBe('task')
  expect(decision.input_excerpt.length).toBeLessThanOrEqual(200)
  const [asked] = await listMessages(host, conversation_id ?? '', { limit: 10 })
  expect(asked?.content).toBe(said)
})

test('decisions and corrections survive a restart and expire', async () => {
  const sql = createMemorySql()
  const host = await testHost({ sql })
  const { decision } = await say(host, 'Summarise the news about solar power')
  await correct(host, decision.id, { intent: 'question' })
  const later = await testHost({ sql })
  expect((await decisions(later)).decisions).toEqual([expect.objectContaining({ id: decision.id, intent: 'question' })])
  expect((await say(later, 'Summarise the news about solar power')).decision.method).toBe('override')
  await later.clock.advance(91 * day)
  await pruneExpired(later)
  expect((await decisions(later)).total).toBe(0)
})

test('the list is filtered and paged', async () => {
  const host = await testHost()
  for (const said of ['Hello', 'Who wrote Faust?', 'Build a website for my choir']) await say(host, said)
  expect((await decisions(host, { status: 'clarifying' })).decisions.map(({ intent }) => intent)).toEqual(['project'])
  expect(await decisions(host, { limit: '1', offset: '1' })).toMatchObject({
    total: 3,
    decisions: [expect.objectContaining({ intent: 'question' })],
  })
})

test('a refusal of the chat makes the decision failed', async () => {
  const host = await testHost()
  const { conversation_id } = await say(host, 'Hello')
  const agent = await requireDefaultAgent(host)
  await host.sql.write([{ sql: 'UPDATE agents SET enabled = 0 WHERE id = ?', args: [agent.id] }])
  const response = await call(api.inject, host, { body: { text: 'Who wrote Faust?', conversation_id } })
  expect(response.status).toBe(409)
  expect((await decisions(host)).decisions[0]).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('disabled'),
  })
})

test('health reports what it decides with', async () => {
  const host = await testHost()
  await say(host, 'Hello')
  const health = DispatcherHealth.parse(await (await call(api.health, host)).json())
  expect(health).toMatchObject({
    ...{ status: 'healthy', enabled: true, model: null },
    decisions_24h: { total: 1, by_method: { rule: 1 }, by_status: { routed: 1 } },
  })
  expect(health.examples).toBeGreaterThan(100)
})
