import { expect, test } from 'vitest'
import { localContext } from '../../runtime/auth/local.ts'
import { setKillSwitch } from '../../runtime/ledger/kill-switch.ts'
import { ModelError, type Recording } from '../../runtime/ports/models.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { transcribe } from '../../runtime/providers/transcribe.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels } from '../support/models.ts'
import { configure } from './kit.ts'

const speech = { name: 'voice.ogg', mime_type: 'audio/ogg', bytes: new Uint8Array(30_000) }
const spender = { category: 'chat' as const }

async function listening(answer: (recording: Recording) => Promise<{ text: string; seconds: number | null }>) {
  const models = scriptedModels()
  const heard: Recording[] = []
  models.transcribe = async (recording) => {
    heard.push(recording)
    return answer(recording)
  }
  const host = await testHost({ models })
  const spent = () =>
    host.sql.read<{ provider: string; model: string; status: string; cost_usd: number; estimated: number }>(
      'SELECT provider, model, status, cost_usd, estimated FROM model_calls ORDER BY id',
    )
  return { host, context: localContext(host), heard, spent }
}

test('a recording is charged by its length', async () => {
  const { host, context, heard, spent } = await listening(async () => ({ text: 'Tea', seconds: 30 }))
  await configure(host, ['anthropic', 'openai'])
  expect(await transcribe(context, speech, spender)).toBe('Tea')
  expect(heard).toMatchObject([{ provider: 'openai', model: 'whisper-1', api_key: 'sk-test-of-openai' }])
  expect(await spent()).toMatchObject([
    { provider: 'openai', model: 'whisper-1', status: 'succeeded', cost_usd: 0.003, estimated: 0 },
  ])
})

test('another provider is asked if the first fails, and a failed call costs nothing', async () => {
  const { host, context, heard, spent } = await listening(async ({ provider }) => {
    if (provider === 'openai') throw new ModelError('invalid_request', 'There is no such address')
    return { text: 'Tea', seconds: null }
  })
  await configure(host, ['openai', 'groq'])
  expect(await transcribe(context, speech, spender)).toBe('Tea')
  expect(heard.map(({ model }) => model)).toEqual(['whisper-1', 'whisper-large-v3-turbo'])
  // Without its length, the longest that it can be is charged.
  expect(await spent()).toMatchObject([
    { provider: 'openai', status: 'failed', cost_usd: 0 },
    { provider: 'groq', status: 'succeeded', estimated: 1 },
  ])
})

test('a compatible server is asked for its own model of speech', async () => {
  const { host, context, heard } = await listening(async () => ({ text: 'Tea', seconds: 1 }))
  host.models.list = async () => [{ id: 'llama' }, { id: 'faster-whisper-small' }]
  await configureProvider(context, {
    provider: 'openai',
    base_url: 'https://speech.example/v1',
    api_key: 'x',
  })
  await transcribe(context, speech, spender)
  expect(heard).toMatchObject([{ model: 'faster-whisper-small', base_url: 'https://speech.example/v1' }])
})

test('nothing is sent without a provider that can, or while model calls are stopped', async () => {
  const { host, context, heard } = await listening(async () => ({ text: 'Tea', seconds: 1 }))
  await configure(host, ['anthropic'])
  expect(await transcribe(context, speech, spender)).toBe(null)
  await configure(host, ['openai'])
  await setKillSwitch(context, true)
  await expect(transcribe(context, speech, spender)).rejects.toMatchObject({ code: 'provider_unavailable' })
  expect(heard).toEqual([])
})
