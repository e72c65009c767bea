import { ModelError } from '../../runtime/ports/models.ts'
import type { Vendor } from '../../runtime/providers/vendors/vendor.ts'
import {
  type Access,
  type Connection,
  type ModelHost,
  openConnection,
  readText,
  resolveAccess,
} from './connection.ts'
import { isRecord, parseJson, toModelError } from './errors.ts'

/** How a list of models is requested and read. */
interface ListStyle {
  /** Path and query; `page` is the last result of `next`. */
  path(page: string | undefined): string
  headers(apiKey: string): Record<string, string>
  ids(body: Record<string, unknown>): unknown[]
  next?(body: Record<string, unknown>): unknown
}

const bearer = (apiKey: string): Record<string, string> =>
  apiKey ? { authorization: `Bearer ${apiKey}` } : {}
const records = (list: unknown) => (Array.isArray(list) ? list.filter(isRecord) : [])

const styles: Record<Vendor['list'], ListStyle> = {
  openai: {
    path: () => '/models',
    headers: bearer,
    // Mistral marks the models that cannot chat.
    ids: (body) =>
      records(body.data)
        .filter(canChat)
        .map((model) => model.id),
  },
  anthropic: {
    path: (page) => `/models?limit=1000${page ? `&after_id=${encodeURIComponent(page)}` : ''}`,
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    ids: (body) => records(body.data).map((model) => model.id),
    next: (body) => body.has_more && body.last_id,
  },
  google: {
    path: (page) => `/models?pageSize=1000${page ? `&pageToken=${encodeURIComponent(page)}` : ''}`,
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    ids: (body) =>
      records(body.models)
        .filter(canGenerate)
        .map(({ name }) => String(name).replace(/^models\//, '')),
    next: (body) => body.nextPageToken,
  },
  ollama: {
    path: () => '/api/tags',
    headers: bearer,
    ids: (body) => records(body.models).map((model) => model.name),
  },
}

function canChat({ capabilities }: Record<string, unknown>): boolean {
  return !isRecord(capabilities) || capabilities.completion_chat !== false
}

function canGenerate({ supportedGenerationMethods: methods }: Record<string, unknown>): boolean {
  return !Array.isArray(methods) || methods.includes('generateContent')
}

/** Maximum pages, in case a vendor never sends a last one. */
const maxPages = 20

/** The ids of the models that a vendor offers for chat, in the vendor's order. */
export async function listModels(
  host: ModelHost,
  access: Access & { signal: AbortSignal },
): Promise<string[]> {
  const { vendor, base_url, api_key } = resolveAccess(access)
  const connection = openConnection(host, access, { vendor, base_url })
  try {
    connection.signal.throwIfAborted()
    return await readPages(connection, { style: styles[vendor.list], base_url, api_key })
  } catch (error) {
    throw (
      connection.closedBecause() ?? toModelError(error, { ...access, began: false, now: host.clock.now() })
    )
  } finally {
    connection.close()
  }
}

interface Listing {
  style: ListStyle
  base_url: string
  api_key: string
}

async function readPages(connection: Connection, { style, base_url, api_key }: Listing): Promise<string[]> {
  const found = new Set<string>()
  let page: string | undefined
  for (let count = 0; count < maxPages; count++) {
    const response = await connection.fetch(base_url + style.path(page), { headers: style.headers(api_key) })
    const body = await readPage(response)
    for (const id of style.ids(body)) if (typeof id === 'string') found.add(id)
    const next = style.next?.(body)
    if (typeof next !== 'string' || !next || next === page) break
    page = next
  }
  return [...found]
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
