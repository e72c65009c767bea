import { expect, test } from 'vitest'
import { createModels } from '../../../adapters/models/index.ts'
import { apiKey, drive, newCall, vendors } from './drive.ts'

const signal = new AbortController().signal
const access = (provider: string) => ({ provider, api_key: apiKey, signal })

test.each([
  ['openai', '/openai/v1/models'],
  ['anthropic', '/anthropic/v1/models?limit=1000'],
  ['google', '/google/v1beta/models?pageSize=1000'],
  ['mistral', '/mistral/v1/models'],
  ['groq', '/groq/openai/v1/models'],
  ['deepseek', '/deepseek/models'],
  ['openrouter', '/openrouter/api/v1/models'],
  ['ollama', '/ollama/api/tags'],
])('%s lists its chat models at %s', async (provider, path) => {
  await using host = await drive()
  host.wire.models = ['zeta', 'alpha']

  expect((await host.models.list(access(provider))).map(({ id }) => id)).toEqual(['zeta', 'alpha'])
  expect(host.wire.lists[0]).toMatchObject({ method: 'GET', path })
  expect(JSON.stringify(host.wire.lists[0]?.headers)).toContain(apiKey)
})

const answering = (...answers: [status: number, body: unknown][]) => {
  const asked: string[] = []
  const fetch = async (url: string | URL) => {
    const [status, body] = answers[Math.min(asked.length, answers.length - 1)] ?? [500, '']
    asked.push(String(url))
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  }
  return { asked, fetch }
}

test('follows the pages of Anthropic and Google', async () => {
  await using host = await drive()
  const anthropic = answering(
    [200, { data: [{ id: 'a' }], has_more: true, last_id: 'a' }],
    [200, { data: [{ id: 'b' }], has_more: false, last_id: 'b' }],
  )
  const google = answering(
    [200, { models: [{ name: 'models/a' }], nextPageToken: 'p/2' }],
    [200, { models: [{ name: 'models/b' }] }],
  )

  expect(await createModels({ ...anthropic, clock: host.clock }).list(access('anthropic'))).toEqual([
    { id: 'a' },
    { id: 'b' },
  ])
  expect(await createModels({ ...google, clock: host.clock }).list(access('google'))).toEqual([
    { id: 'a' },
    { id: 'b' },
  ])
  expect(anthropic.asked[1]).toContain('&after_id=a')
  expect(google.asked[1]).toContain('&pageToken=p%2F2')
})

test('stops at a vendor with an endless number of pages', async () => {
  await using host = await drive()
  let page = 0
  const fetch = async () => Response.json({ data: [{ id: `m${page++}` }], has_more: true, last_id: `m${page}` })

  expect(await createModels({ fetch, clock: host.clock }).list(access('anthropic'))).toHaveLength(20)
})

test.each([
  [401, { error: { message: `Incorrect API key provided: ${apiKey}`, code: 'invalid_api_key' } }, 'auth'],
  [429, {}, 'rate_limit'],
  [503, 'down', 'overloaded'],
  [200, '<!doctype html>', 'provider_unavailable'],
  [200, [], 'provider_unavailable'],
])('status %i with %j is %s', async (status, body, code) => {
  await using host = await drive()

  const error = await createModels({ ...answering([status, body]), clock: host.clock })
    .list(access('openai'))
    .catch((thrown: unknown) => thrown as Error)

  expect(error).toMatchObject({ name: 'ModelError', code })
  expect((error as Error).message).not.toContain(apiKey)
})

test('returns nothing for a list of another shape', async () => {
  await using host = await drive()
  const odd = answering([200, { data: 'none', models: [null, 3, { id: 4, name: 5 }] }])

  for (const provider of vendors) {
    const ids = await createModels({ ...odd, clock: host.clock }).list(access(provider))
    expect(ids.every(({ id }) => typeof id === 'string')).toBe(true)
  }
})

test("requires the vendor's key, but none for a custom address", async () => {
  await using host = await drive()

  await expect(host.models.list({ provider: 'mistral', signal })).rejects.toMatchObject({ code: 'auth' })
  expect(await host.models.list({ provider: 'openai', base_url: host.wire.url.openai, signal })).toHaveLength(2)
  expect(await host.models.list({ provider: 'ollama', base_url: `${host.wire.url.ollama}/v1`, signal })).toHaveLength(2)
})

test('is cancelled by the caller', async () => {
  await using host = await drive()

  const listed = host.models.list({ ...newCall(), signal: AbortSignal.abort() })

  await expect(listed).rejects.toMatchObject({ code: 'cancelled' })
  expect(host.wire.requests).toEqual([])
})

test.each([
  [
    'openrouter',
    {
      data: [
        {
          id: 'm',
          context_length: 200000,
          pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
        },
      ],
    },
    { context_tokens: 200000, input_usd_per_mtok: 3, output_usd_per_mtok: 15, cached_usd_per_mtok: 0.3 },
  ],
  ['openrouter', { data: [{ id: 'm', pricing: { prompt: '-1', completion: '-1' } }] }, {}],
  ['openai', { data: [{ id: 'm', object: 'model', max_model_len: 8192 }] }, { context_tokens: 8192 }],
  ['openai', { data: [{ id: 'm', meta: { n_ctx_train: 4096 } }] }, { context_tokens: 4096 }],
  ['groq', { data: [{ id: 'm', context_window: 131072 }] }, { context_tokens: 131072 }],
  ['mistral', { data: [{ id: 'm', max_context_length: 32768 }] }, { context_tokens: 32768 }],
  ['google', { models: [{ name: 'models/m', inputTokenLimit: 1048576 }] }, { context_tokens: 1048576 }],
] as const)('%s: the facts of a list such as %j are taken from it', async (provider, body, facts) => {
  await using host = await drive()
  const listed = await createModels({ ...answering([200, body]), clock: host.clock }).list(access(provider))
  expect(listed).toEqual([{ id: 'm', ...facts }])
})

test('Ollama is asked for the context of each model, which is bounded', async () => {
  await using host = await drive()
  host.wire.models = ['small', 'large-ctx']
  expect(await host.models.list({ provider: 'ollama', signal })).toEqual([
    { id: 'small', context_tokens: 8192 },
    { id: 'large-ctx', context_tokens: 32768 },
  ])
})

test('LM Studio is asked for contexts by its own API', async () => {
  await using host = await drive()
  const lmStudio = answering(
    [
      200,
      {
        data: [
          { id: 'a', object: 'model' },
          { id: 'b', object: 'model' },
        ],
      },
    ],
    [200, { data: [{ id: 'a', state: 'loaded', loaded_context_length: 4096, max_context_length: 131072 }] }],
  )
  const listed = await createModels({ ...lmStudio, clock: host.clock }).list({
    provider: 'openai',
    base_url: 'http://127.0.0.1:1234/v1',
    signal,
  })
  expect(listed).toEqual([{ id: 'a', context_tokens: 4096 }, { id: 'b' }])
  expect(lmStudio.asked[1]).toBe('http://127.0.0.1:1234/api/v0/models')
})

test('a compatible server without that API keeps its list', async () => {
  await using host = await drive()
  const other = answering([200, { data: [{ id: 'a' }] }], [404, 'not found'])
  const gateway = { provider: 'openai', base_url: 'http://127.0.0.1:4000/v1', signal }
  expect(await createModels({ ...other, clock: host.clock }).list(gateway)).toEqual([{ id: 'a' }])
})
