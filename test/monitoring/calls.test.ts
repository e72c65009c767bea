import { expect, test } from 'vitest'
import { remove } from '../../handlers/chat/conversations.ts'
import * as calls from '../../handlers/monitoring/calls.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { securitySettings } from '../../runtime/auth/security.ts'
import { keepRequest, retainedRequests, sentRequest } from '../../runtime/ledger/request-store.ts'
import { addEpisode } from '../../runtime/memory/episodes.ts'
import { NewEpisode } from '../../runtime/memory/schema.ts'
import type { ProviderId } from '../../runtime/models/vendors/index.ts'
import type { ModelCallDetails } from '../../runtime/monitoring/calls.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { changeSection } from '../../runtime/sections/section.ts'
import { day, iso } from '../../runtime/time.ts'
import { apiKey, drive } from '../adapters/models/drive.ts'
import { uploaded } from '../files/kit.ts'
import * as wire from '../fixtures/wire/index.ts'
import { call } from '../support/call.ts'
import { chat, onlyConversation } from '../support/chat.ts'
import { adminCaller, testHost } from '../support/host.ts'

async function asked(provider: ProviderId, own = false) {
  const line = await drive()
  const host = await testHost({ models: line.models })
  await configureProvider(localContext(host), {
    provider,
    api_key: apiKey,
    default_model: 'm',
    ...(own && { base_url: line.wire.url[provider] }),
  })
  await addEpisode(
    localContext(host),
    NewEpisode.parse({ content: 'My sister Ana lives in Lisbon and works as a doctor' }),
  )
  const file = await uploaded(host, 'Anna Weber moved to Berlin. '.repeat(200), { name: 'a.txt' })
  line.wire.script(wire.toolCall('time', {}), wire.text('In Lisbon.'))
  await chat(host, { message: 'Where does my sister Ana live?', attachments: [file.id] })
  return { host, line, requests: [...line.wire.requests] }
}

type Host = Awaited<ReturnType<typeof asked>>['host']

async function listed(host: Host, caller: Caller = adminCaller, query = {}) {
  const answer = await (await call(calls.list, host, { caller, query })).json()
  return answer.calls as ModelCallDetails[]
}

const shown = async (host: Host, id: string, caller: Caller = adminCaller) => {
  const response = await call(calls.show, host, { params: { id }, caller })
  return { status: response.status, details: (await response.json()) as ModelCallDetails }
}

const wires: [name: string, provider: ProviderId, own: boolean, instructions: (body: never) => unknown][] = [
  ['Responses', 'openai', false, ({ input }: { input: unknown[] }) => input[0]],
  ['chat completions', 'openai', true, ({ messages }: { messages: unknown[] }) => messages[0]],
  ['Anthropic', 'anthropic', false, ({ system }: { system: unknown }) => system],
]

test.each(wires)(
  '%s: a call shows exactly what was sent, with its tokens by part',
  async (_, provider, own, instructions) => {
    const { host, line, requests } = await asked(provider, own)
    const ofAnswer = (await listed(host)).filter(({ message_id }) => message_id !== null).reverse()
    expect(ofAnswer).toHaveLength(2)
    for (const [index, { id }] of ofAnswer.entries()) {
      const { details } = await shown(host, id)
      expect(details.request?.body).toEqual(requests[index]?.body)
      expect(JSON.stringify(instructions(details.request?.body as never))).toContain('an agent of hearthd')
      const text = JSON.stringify(details.request?.body)
      for (const said of ['Where does my sister', 'works as a doctor', 'Anna Weber moved', 'The current date and time'])
        expect(text.toLowerCase()).toContain(said.toLowerCase())
      const tokens: Record<string, number> = details.request?.tokens ?? {}
      expect(Object.keys(tokens)).toEqual(['system', 'tools', 'memory', 'attachments', 'history'])
      for (const count of Object.values(tokens)) expect(count).toBeGreaterThan(0)
      const sum = Object.values(tokens).reduce((total, count) => total + count, 0)
      expect(sum).toBe(details.input_tokens)
    }
    await line[Symbol.asyncDispose]()
  },
)

test('only the owner of a call reads it; an administrator must name the owner', async () => {
  const { host, line } = await asked('anthropic')
  const [{ id }] = (await listed(host)) as [ModelCallDetails]
  const other: Caller = { ...adminCaller, user_id: 'user_other' }
  expect(await listed(host, other)).toEqual([])
  expect((await shown(host, id, other)).status).toBe(404)
  await line[Symbol.asyncDispose]()
})

test('secrets and what the patterns match are not shown', async () => {
  const { host, line } = await asked('anthropic')
  await changeSection(localContext(host), securitySettings, { redact_patterns: ['an+a weber'] })
  line.wire.script(wire.text('Yes.'))
  await chat(host, { message: `Is ${apiKey} a key?` })
  const [{ id }] = (await listed(host)) as [ModelCallDetails]
  const { details } = await shown(host, id)
  expect(JSON.stringify(details)).toContain('Is [redacted] a key?')
  const first = (await listed(host)).at(-1)?.id ?? ''
  expect(JSON.stringify((await shown(host, first)).details)).not.toContain('Anna Weber')
  await line[Symbol.asyncDispose]()
})

test('requests are filtered by answer, and go with their conversation and by age', async () => {
  const { host, line } = await asked('anthropic')
  const conversation = await onlyConversation(host)
  const message_id = (await listed(host)).find((one) => one.message_id !== null)?.message_id ?? ''
  expect(await listed(host, adminCaller, { message_id })).toHaveLength(2)
  expect(await listed(host, adminCaller, { conversation_id: 'conv_other' })).toEqual([])
  await call(remove, host, { params: { id: conversation.id } })
  const left = (await listed(host)).filter(({ conversation_id }) => conversation_id === conversation.id)
  expect(left.map(({ has_request }) => has_request)).toEqual(left.map(() => false))
  await retainedRequests.prune(host, iso(host.clock.now() + day), 100)
  expect(await host.sql.read('SELECT 1 FROM model_requests')).toEqual([])
  await line[Symbol.asyncDispose]()
})

test('the space is bounded: files are left out, a huge request is not kept, and the oldest make room', async () => {
  const host = await testHost()
  const sizes = { system: 1, tools: 1, memory: 0, history: 1, attachments: 1 }
  const picture = await sentRequest(sizes, JSON.stringify({ data: 'iVBORw0KGgo'.repeat(40_000) }))
  expect(picture.body?.byteLength).toBeLessThan(200)
  const noise = Array.from({ length: 400_000 }, (_, index) => Math.sin(index).toString(36).slice(3)).join(' ')
  expect((await sentRequest(sizes, JSON.stringify({ noise }))).body).toBeNull()
  const small = await sentRequest(sizes, '{}')
  for (let index = 0; index < 1_010; index += 1)
    await host.sql.write(keepRequest({ id: `call_${index}`, conversation_id: null, at: iso(host.clock.now()) }, small))
  const [count] = await host.sql.read('SELECT count(*) AS count, min(call_id) AS first FROM model_requests')
  expect(count).toMatchObject({ count: 1_000 })
})
