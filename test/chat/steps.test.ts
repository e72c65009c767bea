import { expect, test } from 'vitest'
import { send } from '../../handlers/chat/stream.ts'
import { update as changeBackup } from '../../handlers/providers/backup.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf, names, onlyApproval, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const ended = (reason: 'length' | 'stop', said: string): Step => [
  ...(said ? [{ type: 'text' as const, text: said }] : []),
  { type: 'finish', reason, input_tokens: 1, output_tokens: 1 },
]

/** The last event of an answer by `anthropic/m`. */
async function lastEvent(step: Step) {
  const host = await testHost({ models: scriptedModels(step) })
  await configure(host, ['anthropic'])
  return (await chat(host, { message: 'Hello' })).at(-1)
}

test.each([
  ['an answer that reached its limit', ended('length', ''), /^anthropic\/m reached its limit/],
  ['an empty answer', ended('stop', ''), /^anthropic\/m ended without an answer$/],
  ['an answer of blanks', ended('stop', ' \n'), /^anthropic\/m ended without an answer$/],
  ['an answer without an end', [{ type: 'text', text: 'Half' }] as Step, /^anthropic\/m stopped in the middle/],
])('%s is reported with the name of the model', async (_, step, message) => {
  expect(await lastEvent(step)).toMatchObject({
    event: 'error',
    data: { code: 'interrupted', message: expect.stringMatching(message) },
  })
})

test('the texts of two steps are separated in the stream and in the message', async () => {
  const first: Step = [{ type: 'text', text: 'Let me see.' }, ...(toolCall('time', {}) as [])]
  const host = await testHost({ models: scriptedModels(first, text('It is ', 'noon.')) })
  const events = await chat(host, { message: 'What time is it?' })
  const streamed = events.filter(({ event }) => event === 'token').map(({ data }) => data.content)
  const { messages } = await conversationOf(host, events[0]?.data.conversation_id)

  expect(streamed.join('')).toBe('Let me see.\n\nIt is noon.')
  expect(messages[1]?.content).toBe('Let me see.\n\nIt is noon.')
  expect(messages[1]?.parts.at(-1)).toEqual({ type: 'text', text: 'It is noon.' })
})

test('the model that answered also generates the title', async () => {
  const models = scriptedModels([new ModelError('overloaded', 'busy')], text('Green tea.'))
  models.title = text('Kinds of tea')
  const host = await testHost({ models })
  await configure(host, ['anthropic', 'openai'])
  await call(changeBackup, host, { body: { rules: { anthropic: { provider: 'openai', model: 'm' } } } })
  await chat(host, { message: 'Which tea?' })
  await workOff(host)
  expect(models.titles.map(({ provider }) => provider)).toEqual(['openai'])
  expect(await onlyConversation(host)).toMatchObject({ title: 'Kinds of tea' })
})

const fetches = (count: number): Step => [
  ...Array.from({ length: count }, (_, index) => ({
    type: 'tool_call' as const,
    id: `call_${index}`,
    name: 'web_fetch',
    input: { url: `https://site-${index}.example/` },
  })),
  { type: 'finish', reason: 'tool_calls', input_tokens: 1, output_tokens: 1 },
]

test('eight read-only calls of one step run in parallel, and each result is stored', async () => {
  let running = 0
  const all = Promise.withResolvers<void>()
  const outbound = {
    async fetch(url: string | URL) {
      running += 1
      if (running === 8) all.resolve()
      await all.promise
      return new Response(`page of ${url}`, { headers: { 'content-type': 'text/plain' } })
    },
  } as unknown as Outbound
  const host = await testHost({ models: scriptedModels(fetches(8), text('Read.')), outbound })
  const events = await chat(host, { message: 'Compare them' })

  expect(names(events).filter((name) => name === 'tool_result')).toHaveLength(8)
  const { messages } = await conversationOf(host, events[0]?.data.conversation_id)
  const results = messages[1]?.parts.filter((part) => part.type === 'tool_result') ?? []
  expect(results.map((part) => part.id).toSorted()).toEqual(Array.from({ length: 8 }, (_, index) => `call_${index}`))
  for (const part of results) expect(JSON.stringify(part.output)).toContain(`site-${part.id.slice(5)}.example`)
})

test('a call that waits for a person does not block the others', async () => {
  const outbound = { fetch: async () => new Response('page') } as unknown as Outbound
  const step: Step = [
    { type: 'tool_call', id: 'a', name: 'web_fetch', input: { url: 'https://one.example/' } },
    { type: 'tool_call', id: 'b', name: 'files', input: { action: 'write', path: 'a.txt', content: 'x' } },
    { type: 'tool_call', id: 'c', name: 'time', input: {} },
    { type: 'finish', reason: 'tool_calls', input_tokens: 1, output_tokens: 1 },
  ]
  const host = await testHost({ models: scriptedModels(step), outbound })
  await call(send, host, { body: { message: 'Do it' } })
  await workOff(host)
  expect(await onlyApproval(host)).toMatchObject({ tool: 'files', status: 'pending' })
  const { messages } = await conversationOf(host, (await onlyConversation(host)).id)
  const results = messages[1]?.parts.filter((part) => part.type === 'tool_result') ?? []
  expect(results.map((part) => part.id).toSorted()).toEqual(['a', 'c'])
})
