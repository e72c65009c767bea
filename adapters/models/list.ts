import { ollamaContext } from '../../runtime/models/vendors/ollama.ts'
import type { Vendor } from '../../runtime/models/vendors/vendor.ts'
import { ModelError, type ModelFacts } from '../../runtime/ports/models.ts'
import { type Access, type Connection, type ModelHost, openConnection, readText, resolveAccess } from './connection.ts'
import { toModelError } from './errors.ts'
import { isRecord, parseJson } from './json.ts'

/** How a list of models is requested and read. */
interface ListStyle {
  /** Path and query; `page` is the last result of `next`. */
  path(page: string | undefined): string
  headers(apiKey: string): Record<string, string>
  models(body: Record<string, unknown>): ModelFacts[]
  next?(body: Record<string, unknown>): unknown
}

const bearer = (apiKey: string): Record<string, string> => (apiKey ? { authorization: `Bearer ${apiKey}` } : {})
const records = (list: unknown) => (Array.isArray(list) ? list.filter(isRecord) : [])

const styles: Record<Vendor['list'], ListStyle> = {
  openai: {
    path: () => '/models',
    headers: bearer,
    // Mistral marks the models that cannot chat.
    models: (body) => records(body.data).filter(canChat).map(factsOf),
  },
  anthropic: {
    path: (page) => `/models?limit=1000${page ? `&after_id=${encodeURIComponent(page)}` : ''}`,
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    models: (body) => records(body.data).map(factsOf),
    next: (body) => body.has_more && body.last_id,
  },
  google: {
    path: (page) => `/models?pageSize=1000${page ? `&pageToken=${encodeURIComponent(page)}` : ''}`,
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    models: (body) =>
      records(body.models)
        .filter(canGenerate)
        .map((model) => factsOf({ ...model, id: String(model.name).replace(/^models\//, '') })),
    next: (body) => body.nextPageToken,
  },
  ollama: {
    path: () => '/api/tags',
    headers: bearer,
    models: (body) => records(body.models).map(({ name }) => ({ id: name as string })),
  },
}

/** Where the context is stated: OpenRouter, vLLM, Groq, Mistral and LM Studio, Anthropic, Google. */
const contextMembers = [
  'context_length',
  'max_model_len',
  'context_window',
  'loaded_context_length',
  'max_context_length',
  'max_input_tokens',
  'inputTokenLimit',
]

/** OpenRouter states prices per token, as text. */
function factsOf(model: Record<string, unknown>): ModelFacts {
  const nested = isRecord(model.meta) ? model.meta.n_ctx_train : undefined
  const context = [...contextMembers.map((name) => model[name]), nested].find(isCount)
  const { prompt, completion, input_cache_read } = isRecord(model.pricing) ? model.pricing : {}
  const prices = {
    input_usd_per_mtok: perMillion(prompt),
    output_usd_per_mtok: perMillion(completion),
    cached_usd_per_mtok: perMillion(input_cache_read),
  }
  const entries = Object.entries({ context_tokens: context, ...prices }).filter(([, value]) => value !== undefined)
  return { id: model.id as string, ...Object.fromEntries(entries) }
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0

/** A router with varying prices reports -1. */
function perMillion(price: unknown): number | undefined {
  const usd = typeof price === 'string' ? Number(price) : Number.NaN
  return usd >= 0 ? Number((usd * 1_000_000).toPrecision(6)) : undefined
}

function canChat({ capabilities }: Record<string, unknown>): boolean {
  return !isRecord(capabilities) || capabilities.completion_chat !== false
}

function canGenerate({ supportedGenerationMethods: methods }: Record<string, unknown>): boolean {
  return !Array.isArray(methods) || methods.includes('generateContent')
}

/** Maximum pages, in case a vendor's list never ends. */
const maxPages = 20

/** The models that a vendor offers for chat, in the vendor's order. */
export async function listModels(host: ModelHost, access: Access & { signal: AbortSignal }): Promise<ModelFacts[]> {
  const { vendor, base_url, api_key } = resolveAccess(access)
  const connection = openConnection(host, access, { vendor, base_url })
  try {
    connection.signal.throwIfAborted()
    const listing = { style: styles[vendor.list], base_url, api_key }
    const models = await readPages(connection, listing)
    if (vendor.list === 'ollama') return await withContexts(connection, listing, models)
    const isSilent = base_url !== vendor.base_url && models.every((model) => !model.context_tokens)
    return vendor.list === 'openai' && isSilent ? await fromLmStudio(connection, listing, models) : models
  } catch (error) {
    throw connection.closedBecause() ?? toModelError(error, { ...access, began: false, now: host.clock.now() })
  } finally {
    connection.close()
  }
}

interface Listing {
  style: ListStyle
  base_url: string
  api_key: string
}

async function readPages(connection: Connection, { style, base_url, api_key }: Listing): Promise<ModelFacts[]> {
  const facts = new Map<string, ModelFacts>()
  let page: string | undefined
  for (let count = 0; count < maxPages; count++) {
    const response = await connection.fetch(base_url + style.path(page), { headers: style.headers(api_key) })
    const body = await readPage(response)
    for (const model of style.models(body)) if (typeof model.id === 'string') facts.set(model.id, model)
    const next = style.next?.(body)
    if (typeof next !== 'string' || !next || next === page) break
    page = next
  }
  return [...facts.values()]
}

/** LM Studio states contexts in the list of its own API only. */
async function fromLmStudio(
  connection: Connection,
  { style, base_url, api_key }: Listing,
  models: ModelFacts[],
): Promise<ModelFacts[]> {
  const url = new URL('/api/v0/models', base_url).href
  const response = await connection.fetch(url, { headers: style.headers(api_key) })
  const text = await readText(response, maxPageBytes)
  const body = response.ok ? parseJson(text) : undefined
  const facts = new Map(records(isRecord(body) ? body.data : []).map((model) => [model.id, factsOf(model)]))
  return models.map((model) => ({ ...model, ...facts.get(model.id) }))
}

/** Models of one Ollama that are asked for their context. */
const maxShown = 50

/** Ollama's list does not state the contexts; each model does. */
async function withContexts(
  connection: Connection,
  { style, base_url, api_key }: Listing,
  models: ModelFacts[],
): Promise<ModelFacts[]> {
  const details = await Promise.all(
    models.slice(0, maxShown).map(async (model) => {
      const response = await connection.fetch(`${base_url}/api/show`, {
        method: 'POST',
        headers: { ...style.headers(api_key), 'content-type': 'application/json' },
        body: JSON.stringify({ model: model.id }),
      })
      const info = response.ok ? (await readPage(response)).model_info : null
      const [, context] = Object.entries(info ?? {}).find(([name]) => name.endsWith('.context_length')) ?? []
      return isCount(context) ? { ...model, context_tokens: Math.min(context, ollamaContext) } : model
    }),
  )
  return [...details, ...models.slice(maxShown)]
}

/** Bytes; OpenRouter's list, the longest, is under one megabyte. */
const maxPageBytes = 8 * 1024 * 1024

async function readPage(response: Response): Promise<Record<string, unknown>> {
  const text = await readText(response, maxPageBytes)
  if (!response.ok) throw refusal(response, text)
  const body = parseJson(text)
  if (isRecord(body)) return body
  throw new ModelError('provider_unavailable', 'the answer is not a list of models')
}

/** Throws in the shape of the provider packages' errors, which `toModelError` reads. */
function refusal(response: Response, body: string): Error {
  const responseHeaders = Object.fromEntries(response.headers)
  return Object.assign(new Error(), { statusCode: response.status, responseHeaders, responseBody: body })
}
