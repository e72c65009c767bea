import { type EmbedCall, type Embedder, EmbeddingError, type EmbeddingModel } from '../../runtime/ports/embedder.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Milliseconds per call. A local server may have to load the model first. */
const timeout = 60_000

/** Embeddings of model vendors. `fetch` is the host's guarded one. */
export function createVendorEmbedder(fetch: Fetch): Embedder {
  return {
    describe(provider, model) {
      const vendor = vendorOf(provider)
      return vendor ? describe(provider, vendor, model) : null
    },
    async embed(call) {
      call.signal?.throwIfAborted()
      const vendor = vendorOf(call.provider)
      if (!vendor) throw new EmbeddingError(`This host has no embedder ${call.provider}`)
      if (vendor.needs_key && !call.api_key) throw new EmbeddingError(`${call.provider} needs a key`)
      return call.texts.length > 0 ? embed(fetch, vendor, call) : []
    },
    close: async () => undefined,
  }
}

const vendorOf = (provider: string) => (Object.hasOwn(vendors, provider) ? vendors[provider] : undefined)

const describe = (provider: string, vendor: Vendor, model: string | null): EmbeddingModel => ({
  name: `${provider}/${model ?? vendor.model}`,
  model: model ?? vendor.model,
  max_characters: vendor.max_characters,
  max_texts: vendor.max_texts,
  scripts: 'any',
  understands_questions: true,
})

async function embed(fetch: Fetch, vendor: Vendor, call: EmbedCall): Promise<Float32Array[]> {
  const base_url = (call.base_url ?? vendor.base_url).replace(/(?<!\/)\/+$/, '')
  const { url, headers, body } = vendor.request({ ...call, model: call.model ?? vendor.model, base_url })
  const response = await send(fetch, call, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new EmbeddingError(`${call.provider} answered ${response.status}${hintFor(response.status)}`)
  }
  return parseVectors(vendor, call, await response.json().catch(() => null))
}

async function send(fetch: Fetch, call: EmbedCall, url: string, init: RequestInit): Promise<Response> {
  const limit = AbortSignal.timeout(timeout)
  const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit
  try {
    return await fetch(url, { ...init, signal })
  } catch (thrown) {
    call.signal?.throwIfAborted()
    throw new EmbeddingError(`${call.provider} cannot be reached`, { cause: thrown })
  }
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return ': its key is not accepted'
  if (status === 404) return ': it has no such model'
  if (status === 429) return ': too many requests, or no credit left'
  return ''
}

function parseVectors(vendor: Vendor, { provider, texts }: EmbedCall, answer: unknown): Float32Array[] {
  const vectors = readVectors(vendor, answer)
  const length = vectors?.[0]?.length ?? 0
  const valid =
    vectors?.length === texts.length &&
    length > 0 &&
    vectors.every((vector) => vector.length === length && vector.every(Number.isFinite))
  if (!vectors || !valid) throw new EmbeddingError(`${provider} did not answer one vector per text`)
  return vectors
}

function readVectors(vendor: Vendor, answer: unknown): Float32Array[] | null {
  try {
    return vendor.vectors(answer).map((values) => Float32Array.from(values as number[]))
  } catch {
    return null
  }
}

type VendorRequest = Pick<EmbedCall, 'texts' | 'purpose' | 'api_key'> & { model: string; base_url: string }

/** The API of a vendor. */
interface Vendor {
  base_url: string
  /** The default model. */
  model: string
  needs_key: boolean
  max_characters: number
  max_texts: number
  request(input: VendorRequest): { url: string; headers?: Record<string, string>; body: unknown }
  /** The vectors in an answer, in the order of the texts. */
  vectors(answer: unknown): unknown[]
}

const bearer = (key: string | undefined): Record<string, string> => (key ? { authorization: `Bearer ${key}` } : {})

/** The API of OpenAI, which Mistral implements too. */
const openAiLike: Pick<Vendor, 'request' | 'vectors'> = {
  request: ({ model, texts, base_url, api_key }) => ({
    url: `${base_url}/embeddings`,
    headers: bearer(api_key),
    body: { model, input: texts, encoding_format: 'float' },
  }),
  vectors(answer) {
    const { data } = answer as { data: { index?: number; embedding: unknown }[] }
    return data
      .map((one, place) => ({ ...one, index: one.index ?? place }))
      .sort((left, right) => left.index - right.index)
      .map(({ embedding }) => embedding)
  },
}

/** 768 dimensions find nearly as well as all 3,072, in a quarter of the space. */
const reducedDimensions = (model: string) => (model.startsWith('gemini-embedding') ? { outputDimensionality: 768 } : {})

/** Some open models expect the purpose as a prefix. */
const prefixed = (model: string, { texts, purpose }: Pick<VendorRequest, 'texts' | 'purpose'>): readonly string[] =>
  model.startsWith('nomic-embed-text')
    ? texts.map((text) => `${purpose === 'query' ? 'search_query' : 'search_document'}: ${text}`)
    : texts

/** Sources: the vendors' API references, as of 2026-11. */
const vendors: Readonly<Record<string, Vendor>> = {
  openai: {
    base_url: 'https://api.openai.com/v1',
    model: 'text-embedding-3-small',
    needs_key: true,
    max_characters: 8_000,
    max_texts: 128,
    ...openAiLike,
  },
  mistral: {
    base_url: 'https://api.mistral.ai/v1',
    model: 'mistral-embed',
    needs_key: true,
    max_characters: 8_000,
    max_texts: 32,
    ...openAiLike,
  },
  google: {
    base_url: 'https://generativelanguage.googleapis.com/v1beta',
    model: 'gemini-embedding-001',
    needs_key: true,
    max_characters: 6_000,
    max_texts: 100,
    request: ({ model, texts, purpose, base_url, api_key }) => ({
      url: `${base_url}/models/${encodeURIComponent(model)}:batchEmbedContents`,
      headers: { 'x-goog-api-key': api_key ?? '' },
      body: {
        requests: texts.map((text) => ({
          model: `models/${model}`,
          content: { parts: [{ text }] },
          taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
          ...reducedDimensions(model),
        })),
      },
    }),
    vectors: (answer) => (answer as { embeddings: { values: unknown }[] }).embeddings.map(({ values }) => values),
  },
  ollama: {
    base_url: 'http://127.0.0.1:11434',
    model: 'nomic-embed-text',
    needs_key: false,
    max_characters: 2_000,
    max_texts: 32,
    request: ({ model, texts, purpose, base_url, api_key }) => ({
      // The configured base URL may be that of the OpenAI-compatible API, which ends in /v1.
      url: `${base_url.replace(/\/(?:v1|api)$/, '')}/api/embed`,
      headers: bearer(api_key),
      body: { model, input: prefixed(model, { texts, purpose }) },
    }),
    vectors: (answer) => (answer as { embeddings: unknown[] }).embeddings,
  },
}
