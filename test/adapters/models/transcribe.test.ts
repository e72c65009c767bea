import { expect, test } from 'vitest'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { createModels } from '../../../adapters/models/index.ts'
import type { Recording } from '../../../runtime/ports/models.ts'
import { apiKey } from './drive.ts'

interface Sent {
  url: string
  form: FormData
  headers: Headers
}

/** A server that answers with one body. */
function serving(body: unknown, status = 200) {
  const sent: Sent[] = []
  const fetch = async (url: string | URL, init?: RequestInit) => {
    sent.push({ url: String(url), form: init?.body as FormData, headers: new Headers(init?.headers) })
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  }
  const { transcribe } = createModels({ fetch, clock: createFakeClock('2026-01-05T12:00:00.000Z') })
  const recording = { name: 'voice.ogg', mime_type: 'audio/ogg', bytes: new Uint8Array([1, 2, 3]) }
  const run = (more: Partial<Recording> = {}) =>
    transcribe({
      ...{ provider: 'openai', model: 'whisper-1', api_key: apiKey, ...recording },
      ...{ signal: new AbortController().signal, ...more },
    })
  return { sent, run }
}

test.each([
  ['openai', 'whisper-1', 'https://api.openai.com/v1/audio/transcriptions', 'verbose_json'],
  ['groq', 'whisper-large-v3-turbo', 'https://api.groq.com/openai/v1/audio/transcriptions', 'verbose_json'],
  ['mistral', 'voxtral-mini-latest', 'https://api.mistral.ai/v1/audio/transcriptions', null],
])('%s gets a recording as a form', async (provider, model, url, format) => {
  const { sent, run } = serving({ text: ' Hello. ', duration: 2.5 })
  expect(await run({ provider, model })).toEqual({ text: 'Hello.', seconds: 2.5 })
  expect(sent[0]?.url).toBe(url)
  expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
  expect(sent[0]?.form.get('model')).toBe(model)
  expect(sent[0]?.form.get('response_format')).toBe(format)
  expect(sent[0]?.form.get('file')).toMatchObject({ name: 'voice.ogg', type: 'audio/ogg', size: 3 })
})

test('a compatible server needs no key and may leave out the duration', async () => {
  const { sent, run } = serving({ text: 'Hello' })
  const base_url = 'http://127.0.0.1:8000'
  const { api_key: _, ...open } = { api_key: '' }
  expect(await run({ ...open, api_key: '', base_url })).toEqual({ text: 'Hello', seconds: null })
  expect(sent[0]?.url).toBe('http://127.0.0.1:8000/v1/audio/transcriptions')
  expect(sent[0]?.headers.has('authorization')).toBe(false)
})

test.each([
  [401, { error: { message: 'Incorrect API key' } }, 'auth'],
  [429, { error: { message: 'Slow down' } }, 'rate_limit'],
  [500, 'oops', 'provider_unavailable'],
  [200, { words: 1 }, 'provider_unavailable'],
])('status %i with %j is the error it means', async (status, body, code) => {
  await expect(serving(body, status).run()).rejects.toMatchObject({ name: 'ModelError', code })
})
