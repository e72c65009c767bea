import { describe, expect, test } from 'vitest'
import { createVendorEmbedder } from '../../../adapters/embedder/vendors.ts'
import { EmbeddingError } from '../../../runtime/ports/embedder.ts'
import { embedderContract } from '../../contracts/embedder.ts'

interface Sent {
  url: string
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** A vendor that is asked over the wire and answers what the script says. */
function vendor(script: (body: never) => unknown, status = 200) {
  const sent: Sent[] = []
  const embedder = createVendorEmbedder(async (url, init) => {
    init.signal?.throwIfAborted()
    const body = JSON.parse(String(init.body))
    sent.push({ url, headers: Object.fromEntries(new Headers(init.headers)), body })
    return new Response(JSON.stringify(script(body as never)), { status })
  })
  return { sent, embedder }
}

/** Far apart for texts that end differently. */
const vectorFor = (text: string) => [
  Math.cos(text.charCodeAt(text.length - 2)),
  Math.sin(text.charCodeAt(text.length - 2)),
  0,
]

const openAi = ({ input }: { input: string[] }) => ({
  data: input.map((text, index) => ({ object: 'embedding', index, embedding: vectorFor(text) })).reverse(),
})
const google = ({ requests }: { requests: { content: { parts: { text: string }[] } }[] }) => ({
  embeddings: requests.map(({ content }) => ({ values: vectorFor(content.parts[0]?.text ?? '') })),
})
const ollama = ({ input }: { input: string[] }) => ({ embeddings: input.map(vectorFor) })

describe.each([
  ['openai', openAi],
  ['mistral', openAi],
  ['google', google],
  ['ollama', ollama],
] as const)('%s', (provider, script) => {
  embedderContract(async () => ({
    embedder: vendor(script as never).embedder,
    access: { provider, api_key: 'key-123' },
  }))
})

const call = { model: null, texts: ['tea', 'coffee'], purpose: 'query', api_key: 'key-123' } as const

test('openai: POST /embeddings with a bearer key', async () => {
  const { sent, embedder } = vendor(openAi as never)
  await embedder.embed({ ...call, provider: 'openai', model: 'text-embedding-3-large' })

  expect(sent).toEqual([
    {
      url: 'https://api.openai.com/v1/embeddings',
      headers: { 'content-type': 'application/json', authorization: 'Bearer key-123' },
      body: { model: 'text-embedding-3-large', input: ['tea', 'coffee'], encoding_format: 'float' },
    },
  ])
})

test('google: a batch request with the task type and reduced dimensions', async () => {
  const { sent, embedder } = vendor(google as never)
  await embedder.embed({ ...call, provider: 'google' })
  const request = (text: string) => ({
    model: 'models/gemini-embedding-001',
    content: { parts: [{ text }] },
    taskType: 'RETRIEVAL_QUERY',
    outputDimensionality: 768,
  })

  expect(sent[0]).toMatchObject({
    url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:batchEmbedContents',
    headers: { 'x-goog-api-key': 'key-123' },
    body: { requests: [request('tea'), request('coffee')] },
  })
  expect(JSON.stringify(sent[0]?.url)).not.toContain('key-123')
})

test.each([
  [undefined, 'http://127.0.0.1:11434/api/embed'],
  ['http://10.0.0.7:11434/', 'http://10.0.0.7:11434/api/embed'],
  ['http://10.0.0.7:11434/v1', 'http://10.0.0.7:11434/api/embed'],
])('ollama at %s: POST %s without a key, with the prefix of its model', async (base_url, url) => {
  const { sent, embedder } = vendor(ollama as never)
  const { api_key: _, ...keyless } = call
  await embedder.embed({ ...keyless, provider: 'ollama', ...(base_url ? { base_url } : {}) })

  expect(sent).toEqual([
    {
      url,
      headers: { 'content-type': 'application/json' },
      body: { model: 'nomic-embed-text', input: ['search_query: tea', 'search_query: coffee'] },
    },
  ])
})

test.each([
  [401, 'key is not accepted'],
  [404, 'no such model'],
  [429, 'too many requests'],
  [500, 'answered 500'],
])('status %i is an error with the reason and without secrets', async (status, message) => {
  const { embedder } = vendor(() => ({ error: { message: 'bad key key-123' } }), status)
  const failed = embedder.embed({ ...call, provider: 'openai' }).catch((thrown: unknown) => thrown)

  expect(await failed).toBeInstanceOf(EmbeddingError)
  expect(String(await failed)).toContain(message)
  expect(String(await failed)).not.toContain('key-123')
})

test.each([
  ['no vectors', {}],
  ['too few', { data: [{ index: 0, embedding: [1] }] }],
  ['other lengths', { data: [{ embedding: [1] }, { embedding: [1, 2] }] }],
  ['no numbers', { data: [{ embedding: ['a'] }, { embedding: [null] }] }],
  ['nothing', null],
])('an answer with %s is refused', async (_, answer) => {
  const { embedder } = vendor(() => answer)

  await expect(embedder.embed({ ...call, provider: 'openai' })).rejects.toThrow('one vector per text')
})

test('an unreachable vendor and a missing key are errors', async () => {
  const broken = createVendorEmbedder(async () => {
    throw new TypeError('fetch failed')
  })
  const { api_key: _, ...keyless } = call

  await expect(broken.embed({ ...call, provider: 'mistral' })).rejects.toThrow('mistral cannot be reached')
  await expect(broken.embed({ ...keyless, provider: 'mistral' })).rejects.toThrow('needs a key')
})
