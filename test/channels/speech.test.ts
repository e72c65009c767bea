import { expect, test } from 'vitest'
import type { InboundFile, Quote } from '../../runtime/channels/platform.ts'
import { ModelError, type Recording } from '../../runtime/ports/models.ts'
import { second } from '../../runtime/time.ts'
import { configure } from '../providers/kit.ts'
import { scriptedModels, text } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { bob, channelHost, deliver, group, message, pairOwner, post } from './kit.ts'

const voice = (words: string): InboundFile => ({
  ...{ name: 'voice-5.ogg', mime_type: 'audio/ogg', size_bytes: 5, is_voice: true as const },
  reference: { text: words },
})

async function listening(providers: Parameters<typeof configure>[1], ...failures: Error[]) {
  const models = scriptedModels(text('Understood'), text('Understood'))
  const heard: Recording[] = []
  models.transcribe = async (recording) => {
    heard.push(recording)
    const failure = failures.shift()
    if (failure) throw failure
    return { text: new TextDecoder().decode(recording.bytes), seconds: 3 }
  }
  const kit = await channelHost({ models })
  await configure(kit.host, providers)
  await pairOwner(kit)
  return { ...kit, models, heard }
}

test('a voice message is written down and is what the owner says', async () => {
  const kit = await listening(['openai'])
  await deliver(kit, message({ text: '', files: [voice('What is the time?')] }))
  expect(kit.heard).toMatchObject([{ provider: 'openai', name: 'voice-5.ogg', mime_type: 'audio/ogg' }])
  expect(kit.models.calls[0]?.messages).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'What is the time?' }] },
  ])
  expect(kit.script.texts).toEqual(['Understood'])
})

test('what is said in a forwarded voice message is somebody else’s', async () => {
  const kit = await listening(['openai'])
  const forward: Quote = { kind: 'forward', from: 'Eve', text: '', is_own: false }
  await deliver(kit, message({ text: '', quotes: [forward], files: [voice('/stop')] }))
  expect(JSON.stringify(kit.models.calls[0]?.messages)).toContain('\\"Eve\\" writes: /stop')
})

test('without a provider that can, one sentence says so, and no model is called', async () => {
  const kit = await listening(['anthropic'])
  await deliver(kit, message({ text: '', files: [voice('Hi')] }))
  expect(kit.script.texts).toEqual([
    'I cannot listen to voice messages yet: add OpenAI, Groq or Mistral in Settings → Model providers, or write to me.',
  ])
  expect(kit.models.calls).toEqual([])
})

test('a refusal is said to the owner with its reason, and to others without', async () => {
  const kit = await listening(['openai'], new ModelError('invalid_request', 'The file is too short'))
  await deliver(kit, message({ text: '', files: [voice('')] }))
  expect(kit.script.texts).toEqual([expect.stringContaining('The file is too short')])
  const input = { sender: bob, peer: group, text: '', files: [voice('')] }
  await deliver(kit, message(input))
  expect(kit.script.texts).toHaveLength(1)
})

test('a limit of the provider is waited for, and later messages of the chat wait too', async () => {
  const limit = () => new ModelError('rate_limit', 'Too many requests')
  const kit = await listening(['openai'], limit(), limit())
  await post(kit, [message({ text: '', files: [voice('First')] }), message({ text: 'Second' })])
  await workOff(kit.host)
  expect(kit.script.texts).toEqual([])
  for (let count = 0; count < 3; count += 1) {
    await kit.host.clock.advance(4 * second)
    await workOff(kit.host)
  }
  expect(kit.models.calls.map(({ messages }) => textIn(messages.at(-1)))).toEqual(['First', 'Second'])
})

const textIn = (message: unknown) => (message as { content: { text: string }[] }).content[0]?.text
