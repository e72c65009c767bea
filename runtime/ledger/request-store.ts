import { owned } from '../auth/owner.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { type Retained, retainedRows } from '../retention.ts'
import { readRow, sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import type { ModelCallRow } from './schema.ts'

/** Characters of a prompt by what they are: `system` has the daemon's notes too, `memory` what was recalled. */
export interface PromptSizes {
  system: number
  tools: number
  memory: number
  history: number
  attachments: number
}

/** A request as it was sent to a vendor. */
export interface SentRequest {
  sizes: PromptSizes
  /** The body, compressed with gzip; null if it is larger than `maxBytes`. */
  body: Uint8Array | null
}

/** Bytes of a kept request: about 200,000 tokens of text. */
const maxBytes = 250_000

/** Requests that are kept; the oldest make room. With `maxBytes`, this bounds the space to 250 MB. */
const maxRequests = 1_000

/** Files are left out: they are stored already, and are encoded in the body. */
const encodedFile = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{4000,}={0,2}/g

/** A request to keep, from the body that leaves the daemon. */
export async function sentRequest(sizes: PromptSizes, body: string): Promise<SentRequest> {
  const text =
    sizes.attachments > 0 ? body.replace(encodedFile, (file) => `[${file.length} characters of a file]`) : body
  const compressed = await bytesOf(new TextEncoder().encode(text), new CompressionStream('gzip'))
  return { sizes, body: compressed.byteLength > maxBytes ? null : compressed }
}

/** Written at once: a pipe from a `Blob` takes twice as long. */
async function bytesOf(content: Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream) {
  const writer = through.writable.getWriter()
  const written = Promise.all([writer.write(content), writer.close()])
  const [bytes] = await Promise.all([new Response(through.readable).bytes(), written])
  return bytes
}

interface Call {
  id: string
  conversation_id: string | null
  /** ISO 8601. */
  at: string
}

export const keepRequest = (call: Call, { sizes, body }: SentRequest): Statement[] => [
  sql`INSERT INTO model_requests (call_id, conversation_id, at, sizes, body, bytes)
    VALUES (${call.id}, ${call.conversation_id}, ${call.at}, ${JSON.stringify(sizes)}, ${body},
    ${body?.byteLength ?? 0})`,
  sql`DELETE FROM model_requests WHERE number <= (SELECT max(number) FROM model_requests) - ${maxRequests}`,
]

/** The requests of a conversation go with it. */
export const forgetRequests = (conversation_id: string): Statement =>
  sql`DELETE FROM model_requests WHERE conversation_id = ${conversation_id}`

/** What a call has sent; null if it is not kept. `body` is null if it was too large. */
export async function findRequest(
  host: Sql,
  call_id: string,
): Promise<{ sizes: PromptSizes; body: string | null } | null> {
  const row = await readRow<{ sizes: string; body: Uint8Array<ArrayBuffer> | null }>(
    host,
    sql`SELECT sizes, body FROM model_requests WHERE call_id = ${call_id}`,
  )
  if (!row) return null
  const bytes = row.body && (await bytesOf(row.body, new DecompressionStream('gzip')))
  return { sizes: JSON.parse(row.sizes) as PromptSizes, body: bytes && new TextDecoder().decode(bytes) }
}

const calls = new Table<ModelCallRow>('model_calls', {
  booleans: ['estimated', 'has_request'],
  select: `id, at, status, category, provider, model, agent_id, conversation_id, message_id, job_id, loop_id, project_id,
    input_tokens, cached_tokens, output_tokens, cost_usd, estimated, error,
    EXISTS (SELECT 1 FROM model_requests WHERE call_id = model_calls.id) AS has_request`,
})

/** The caller's calls, newest first. */
export const listCalls = (
  context: Reader,
  { limit, offset, ...filter }: Page & { conversation_id?: string | undefined; message_id?: string | undefined },
) => calls.page(context, { limit, offset }, 'at DESC, id DESC', owned(context), filter)

export const findCall = (context: Reader, id: string) => calls.find(context, owned(context), { id })

export const retainedRequests: Retained = retainedRows({
  tables: ['model_requests'],
  rows: 'SELECT true AS ended, at, bytes FROM model_requests',
  prune: (before, limit) =>
    sql`DELETE FROM model_requests WHERE number IN (SELECT number FROM model_requests WHERE at < ${before} ORDER BY at
      LIMIT ${limit})`,
})
