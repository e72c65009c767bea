import { afterEach, expect, test } from 'vitest'
import { localContext } from '../../runtime/auth/local.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { type Drive, drive } from '../adapters/models/drive.ts'
import { png, uploaded } from '../files/kit.ts'
import * as wire from '../fixtures/wire/index.ts'
import { chat } from '../support/chat.ts'
import { testHost } from '../support/host.ts'

let line: Drive | undefined
afterEach(() => line?.[Symbol.asyncDispose]())

async function daemon(provider: 'ollama' | 'openai' | 'openrouter', model: string) {
  line = await drive()
  const host = await testHost({ models: line.models })
  const setup = { provider, api_key: 'sk-test-0123456789', default_model: model }
  await configureProvider(localContext(host), setup)
  return { host, wire: line.wire }
}

const textOf = (events: Awaited<ReturnType<typeof chat>>) =>
  events.map(({ event, data }) => (event === 'token' ? data.content : '')).join('')

test('a model that takes no tools answers without them and says so once', async () => {
  const { host, wire: server } = await daemon('ollama', 'gemma-no-tools')
  server.script(wire.text('Hello.'), wire.text('Yes.'))
  const events = await chat(host, { message: 'Hi' })
  expect(textOf(events)).toBe('*gemma-no-tools takes no tools, so it answers without them.*\n\nHello.')
  const next = await chat(host, { message: 'Sure?', conversation_id: events[0]?.data.conversation_id })
  expect(textOf(next)).toBe('Yes.')
  expect(server.requests).toHaveLength(3)
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('You have no tools here')
})

test.each(['openai', 'openrouter', 'ollama'] as const)(
  '%s: a picture that the model refuses is left out with a note, also of later turns',
  async (provider) => {
    const { host, wire: server } = await daemon(provider, 'blind')
    const { id } = await uploaded(host, png, { name: 'cat.png' })
    server.script(wire.text('I cannot see it.'), wire.text('No.'))
    const events = await chat(host, { message: 'What is this?', attachments: [id] })
    expect(events.at(-1)).toMatchObject({ event: 'done' })
    const conversation_id = events[0]?.data.conversation_id
    expect((await chat(host, { message: 'Really?', conversation_id })).at(-1)).toMatchObject({
      event: 'done',
    })
    expect(server.requests).toHaveLength(3)
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('this model has refused it')
  },
)
