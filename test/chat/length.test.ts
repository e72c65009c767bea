import { expect, test } from 'vitest'
import type { ModelEvent } from '../../runtime/ports/models.ts'
import { configureAgent } from '../providers/kit.ts'
import { answerOf, chat, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { notesOf, scriptedModels, text, toolCall } from '../support/models.ts'

const cut = (said: string): ModelEvent[] => [
  { type: 'text', text: said },
  { type: 'finish', reason: 'length', input_tokens: 10, output_tokens: 5 },
]

test('an answer that its length cut continues, and its pieces are one text', async () => {
  const models = scriptedModels(
    cut('Once upon a ti'),
    [{ type: 'reasoning', text: 'Hm.' }, ...cut('me there w')],
    text('as.'),
  )
  const host = await testHost({ models })
  const events = await chat(host, { message: 'Tell a story' })
  expect(events.at(-1)).toMatchObject({ event: 'done', data: { output_tokens: 15 } })
  const answer = await answerOf(host, await onlyConversation(host))
  expect(answer.content).toBe('Once upon a time there was.')
  expect(answer.parts.filter(({ type }) => type === 'text')).toHaveLength(1)
  expect(models.calls[2]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(notesOf(models.calls[2])).toContain('Continue exactly where it stopped')
})

test('it ends after five pieces, and the person may continue', async () => {
  const models = scriptedModels(...Array.from({ length: 9 }, () => cut('on and ')))
  const host = await testHost({ models })
  const events = await chat(host, { message: 'Tell a story' })
  expect(models.calls).toHaveLength(5)
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted', limit: 'length' } })
})

test('a call that the length cut does not run, and the model is told why', async () => {
  const broken: ModelEvent[] = [
    { type: 'tool_call', id: 'call_1', name: 'files', input: {}, invalid: '{"action":"write","content":"lo' },
    { type: 'finish', reason: 'length', input_tokens: 10, output_tokens: 5 },
  ]
  const models = scriptedModels(broken, text('In pieces then.'))
  const host = await testHost({ models })
  await chat(host, { message: 'Write it' })
  expect(JSON.stringify(models.calls[1]?.messages.at(-1))).toContain('cut at the output limit')
})

test('an answer that its steps stopped says so, and the next message continues it', async () => {
  const models = scriptedModels(toolCall('time', {}), text('Noon.'))
  const host = await testHost({ models })
  await configureAgent(host, { max_steps: 1 })
  const events = await chat(host, { message: 'What time is it?' })
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'tool_error', limit: 'steps' } })
  const { id } = await onlyConversation(host)
  await chat(host, { message: 'Continue', conversation_id: id })
  expect(models.calls[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})
