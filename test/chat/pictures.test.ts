import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createMemoryHost } from '../../adapters/memory/host.ts'
import { areas } from '../../handlers/index.ts'
import { defineArea } from '../../runtime/area.ts'
import { localContext } from '../../runtime/auth/local.ts'
import type { ProviderId } from '../../runtime/models/vendors/index.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { tool } from '../../runtime/tools/tool.ts'
import { type Drive, drive } from '../adapters/models/drive.ts'
import { png } from '../files/kit.ts'
import * as wire from '../fixtures/wire/index.ts'
import { chat, conversationOf } from '../support/chat.ts'

let line: Drive | undefined
afterEach(() => line?.[Symbol.asyncDispose]())

const camera = tool({
  name: 'camera',
  description: 'Takes a picture',
  input: z.object({}),
  summary: () => 'Take a picture',
  async run(_, { show }) {
    await show?.({ name: 'garden.png', bytes: new Uint8Array(png) })
    return { taken: true }
  },
})

const cameraArea = defineArea({ name: 'files', tools: async () => [camera] })

async function daemon(provider: ProviderId, model: string) {
  line = await drive()
  const host = await createMemoryHost([...areas, cameraArea], { models: line.models })
  const setup = { provider, api_key: 'sk-test-0123456789', default_model: model }
  await configureProvider(localContext(host), setup)
  return { host, wire: line.wire }
}

test.each([
  ['anthropic', '"type":"image"'],
  ['openai', '"input_image"'],
  ['google', '"inlineData"'],
  ['openrouter', '"image_url"'],
  ['ollama', '"images":['],
] as const)('%s sees the picture that a tool has made', async (provider, form) => {
  const { host, wire: server } = await daemon(provider, 'm')
  server.script(wire.toolCall('camera', {}), wire.text('A garden.'))
  const events = await chat(host, { message: 'What is in the garden?' })
  expect(events.at(-1)).toMatchObject({ event: 'done' })
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(form)
  const { messages } = await conversationOf(host, events[0]?.data.conversation_id)
  expect(messages[1]?.parts.find((part) => part.type === 'tool_result')).toMatchObject({
    output: { taken: true },
    files: [{ name: 'garden.png', mime_type: 'image/png' }],
    untrusted: true,
  })
})

test('a model that sees no pictures goes on without it', async () => {
  const { host, wire: server } = await daemon('openai', 'blind')
  server.script(wire.toolCall('camera', {}), wire.text('I cannot see it.'))
  expect((await chat(host, { message: 'What is in the garden?' })).at(-1)).toMatchObject({ event: 'done' })
})

test.each(['ollama', 'openrouter'] as const)(
  '%s: a model that takes no tools answers without them, is told so, and is not asked twice',
  async (provider) => {
    const { host, wire: server } = await daemon(provider, 'no-tools')
    server.script(wire.text('Four.'), wire.text('Five.'))
    const events = await chat(host, { message: 'What are two and two?' })
    expect(events.at(-1)).toMatchObject({ event: 'done' })
    const answers = () => server.requests.filter(({ body }) => JSON.stringify(body).includes('two and two'))
    const hasTools = answers().map(({ body }) => ((body as { tools?: unknown[] }).tools ?? []).length > 0)
    expect(hasTools.slice(0, 2)).toEqual([true, false])
    expect(JSON.stringify(answers()[1]?.body)).toMatch(/no tools|without tools|cannot use tools/i)

    const before = answers().length
    const conversation_id = events[0]?.data.conversation_id as string
    expect((await chat(host, { conversation_id, message: 'And one more?' })).at(-1)).toMatchObject({
      event: 'done',
    })
    expect(answers().length).toBe(before + 1)
  },
)
