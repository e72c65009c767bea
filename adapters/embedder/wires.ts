import type { EmbedCall } from '../../runtime/ports/embedder.ts'

type Asked = Pick<EmbedCall, 'texts' | 'purpose' | 'api_key'> & { model: string; base_url: string }

/** How one vendor is asked, and where its answer has the vectors, in the order of the texts. */
export interface Wire {
  base_url: string
  model: string
  needs_key: boolean
  max_characters: number
  max_texts: number
  request(asked: Asked): { url: string; headers?: Record<string, string>; body: unknown }
  vectors(answer: unknown): unknown[]
}

type Numbered = { index?: number; embedding: unknown }

const bearer = (key: string | undefined): Record<string, string> =>
  key ? { authorization: `Bearer ${key}` } : {}

/** The wire of OpenAI, which Mistral speaks too. */
const openAiLike: Pick<Wire, 'request' | 'vectors'> = {
  request: ({ model, texts, base_url, api_key }) => ({
    url: `${base_url}/embeddings`,
    headers: bearer(api_key),
    body: { model, input: texts, encoding_format: 'float' },
  }),
  vectors(answer) {
    const { data } = answer as { data: Numbered[] }
    return data
      .map((one, place) => ({ ...one, index: one.index ?? place }))
      .sort((left, right) => left.index - right.index)
      .map(({ embedding }) => embedding)
  },
}

/** Of a model that can shorten its vectors: 768 numbers find nearly as well as all 3,072, in a quarter of the room. */
const shorter = (model: string) => (model.startsWith('gemini-embedding') ? { outputDimensionality: 768 } : {})

/** Some open models were taught to tell what is looked for by the words before it. */
const introduced = (
  model: string,
  { texts, purpose }: Pick<Asked, 'texts' | 'purpose'>,
): readonly string[] =>
  model.startsWith('nomic-embed-text')
    ? texts.map((text) => `${purpose === 'query' ? 'search_query' : 'search_document'}: ${text}`)
    : texts

/** Sources: the vendors' API references, as of 2026-11. */
export const wires: Readonly<Record<string, Wire>> = {
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
          ...shorter(model),
        })),
      },
    }),
    vectors: (answer) =>
      (answer as { embeddings: { values: unknown }[] }).embeddings.map(({ values }) => values),
  },
  ollama: {
    base_url: 'http://127.0.0.1:11434',
    model: 'nomic-embed-text',
    needs_key: false,
    max_characters: 2_000,
    max_texts: 32,
    request: ({ model, texts, purpose, base_url, api_key }) => ({
      // The base URL of chats may be that of the wire of OpenAI, which ends in /v1.
      url: `${base_url.replace(/\/(?:v1|api)$/, '')}/api/embed`,
      headers: bearer(api_key),
      body: { model, input: introduced(model, { texts, purpose }) },
    }),
    vectors: (answer) => (answer as { embeddings: unknown[] }).embeddings,
  },
}
