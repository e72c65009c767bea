import { ModelError, type ModelErrorCode } from '../../runtime/ports/models.ts'
import { readArguments, refusesTools } from './arguments.ts'
import { isRecord, parseJson } from './json.ts'

interface CallState {
  provider: string
  api_key?: string
  began: boolean
  /** The body of the request. */
  sent?: string
  /** Unix milliseconds. */
  now: number
}

/** Turns whatever a provider package or `fetch` threw, or put into its stream, into a `ModelError`. */
export function toModelError(error: unknown, { now, ...scene }: CallState): ModelError {
  if (error instanceof ModelError) return error
  if (isOurMistake(error) && !scene.began)
    return new ModelError('internal_error', `${scene.provider}: ${error.message}`)
  return classifyError({ ...scene, ...describe(error) }, now)
}

/** The rate-limit headers of a refused call. */
export function headersOf(error: unknown): Record<string, string> {
  return isRecord(error) && isRecord(error.responseHeaders) ? (error.responseHeaders as Record<string, string>) : {}
}

/**
 * Errors that the packages raise before anything is sent, for example for a file type that the vendor does
 * not accept.
 */
function isOurMistake(error: unknown): error is Error {
  return (
    error instanceof Error &&
    ['AI_UnsupportedFunctionalityError', 'AI_InvalidPromptError', 'AI_InvalidArgumentError'].includes(error.name)
  )
}

type Description = Partial<Omit<Failure, 'provider' | 'api_key' | 'sent'>>

function describe(error: unknown): Description {
  if (!isRecord(error)) return { message: typeof error === 'string' ? error : undefined }
  if (error.statusCode === 200) return { ...describe(error.cause), began: true }
  if (typeof error.statusCode === 'number') return { ...describeRefusal(error), status: error.statusCode }
  if (isUnreadableChunk(error)) return describeChunk(error)
  if (error instanceof Error) return { message: describeNetwork(error) }
  return { body: JSON.stringify({ error }), status: statusOf(error.code) }
}

function describeRefusal(error: Record<string, unknown>): Description {
  const { type, code, message, data } = error
  return {
    headers: headersOf(error),
    body:
      typeof error.responseBody === 'string'
        ? error.responseBody
        : JSON.stringify({ type, code, message, error: data }),
  }
}

/** A chunk that is not JSON, or is JSON of another shape: some vendors send their error events that way. */
function isUnreadableChunk(error: Record<string, unknown>): boolean {
  return error.name === 'AI_JSONParseError' || error.name === 'AI_TypeValidationError'
}

function describeChunk({ value }: Record<string, unknown>): Description {
  const message = 'sent a chunk that cannot be read'
  if (!isRecord(value) || !(isRecord(value.error) || value.object === 'error')) return { message }
  return {
    message,
    body: JSON.stringify(value),
    status: isRecord(value.error) ? statusOf(value.error.code) : undefined,
  }
}

/** `fetch` hides the reason (`ECONNREFUSED`, a time limit) in the cause of its error. */
function describeNetwork(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : undefined
  const detail = cause ? describeNetwork(cause) : ''
  return detail && !error.message.includes(detail) ? `${error.message} (${detail})` : error.message
}

function statusOf(code: unknown): number | undefined {
  const status = Number(code)
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined
}

/** A failed call as it appeared on the wire. */
export interface Failure {
  provider: string
  /** HTTP status, or the one that the vendor put into an error event of the stream. */
  status?: number
  /** Lower-case names. */
  headers?: Record<string, string>
  body?: string
  /** Used if the body says nothing, for example for a network error. */
  message?: string
  /** The vendor had accepted the call and the answer had started. */
  began: boolean
  /** Never appears in the result. */
  api_key?: string
  /** The body of the request. */
  sent?: string
}

/** Statuses with the same meaning at every vendor, whatever the body says. */
const decisive: Record<number, ModelErrorCode> = {
  401: 'auth',
  402: 'billing',
  408: 'timeout',
  413: 'context_overflow',
  504: 'timeout',
  524: 'timeout',
  529: 'overloaded',
}

/** The first match wins. Sources: the vendors' error references, and the messages of local servers. */
const phrases: [ModelErrorCode, RegExp][] = [
  ['context_overflow', /context_length_exceeded|exceed_context_size|context_?window_?exceeded|request_too_large/],
  ['context_overflow', /maximum context length|context window|prompt is too long|exceed context limit/],
  ['context_overflow', /exceeds the available context|input token count.*exceeds|context length of only/],
  ['context_overflow', /reduce the length of|too large for model with|input length.*exceeds/],
  ['billing', /insufficient_quota|insufficient[ _]balance|insufficient[ _]credits|credit balance is too low/],
  ['billing', /billing_(error|hard_limit|not_active)|payment[ _]required|requires more credits/],
  ['content_filter', /content_?filter|content_policy|content management policy|prohibited_content/],
  ['content_filter', /flagged|requires moderation|usage polic/],
  ['model_not_found', /model_not_found|model_decommissioned|invalid_model|no endpoints found|not a valid model/],
  [
    'model_not_found',
    /\bmodels?\b.{0,100}(not found|does not exist|is not supported for|not available)|not_found_error.*model|unknown model/,
  ],
  [
    'auth',
    /invalid_api_key|api_key_invalid|api key not valid|incorrect api key|authentication|permission_(error|denied)/,
  ],
  ['overloaded', /overloaded|slow_down|capacity_exceeded|at capacity|loading model|no instances available/],
  ['rate_limit', /rate.?limit|resource_exhausted|too many requests/],
  ['timeout', /deadline_exceeded|time-?out|timed ?out/],
]

const customary: Record<number, ModelErrorCode> = {
  403: 'auth',
  429: 'rate_limit',
  498: 'overloaded',
  503: 'overloaded',
}

/** Pure. `now` (Unix milliseconds) is what a `Retry-After` date is measured from. */
export function classifyError(failure: Failure, now: number): ModelError {
  const said = readVendorError(failure.body)
  const sentence = said.message ?? failure.message
  const code = codeOf(failure, `${said.words} ${sentence ?? ''}`.toLowerCase())
  const text = sentence ?? (failure.status ? `answered with status ${failure.status}` : 'the call failed')
  const names = isRefusal(failure, text) ? readArguments(text, failure.sent ?? '') : undefined
  return new ModelError(code, `${failure.provider}: ${redact(text, failure.api_key)}`, {
    retry_after_seconds: retryAfterSeconds(failure, now),
    refuses: refusalIn(failure, text),
    arguments: names && { names, of_model: /model/i.test(text) },
    raw: said.raw === true,
    context_tokens: code === 'context_overflow' ? contextIn(text) : undefined,
    transient: code === 'overloaded' || code === 'interrupted' || (code === 'provider_unavailable' && mayPass(failure)),
  })
}

/** A refusal of the request as it is; servers in Python fail on arguments that they do not know. */
function isRefusal({ status }: Failure, text: string): boolean {
  if (status === undefined) return false
  return status === 400 || status === 422 || /unexpected keyword argument/i.test(text)
}

/** In the words of Ollama, OpenRouter, OpenAI, Anthropic, Google, Mistral and vLLM. */
function refusalIn({ status }: Failure, text: string): ModelError['refuses'] {
  if (status === undefined || status < 400 || status >= 500) return undefined
  const tools = /(not|n't) support (tool|function)|support tool use|tool choice requires|tools? (is|are) not supported/i
  if (tools.test(text) || refusesTools(text)) return 'tools'
  const files = /image|vision|picture|multimodal|media type|\bpdf\b|document|file type|input_audio/i
  const refused =
    /(not|n't) support|only supported|unsupported|not supported|no endpoints found that support|could not process|unable to process|invalid|exceeds/i
  return files.test(text) && refused.test(text) ? 'files' : undefined
}

/**
 * The size of the context in a vendor's sentence, in tokens; the sentence also names the size of the prompt.
 */
function contextIn(text: string): number | undefined {
  const match =
    /(?:context (?:length|window|size)|tokens allowed|limited? (?:to|of))[^0-9]{0,40}([\d,]{4,9})\b/i.exec(text) ??
    /> ?([\d,]{4,9}) maximum/i.exec(text)
  return (match?.[1] && Number(match[1].replaceAll(',', ''))) || undefined
}

/** A server that fails, or a connection that broke; not an address that nothing answers at. */
const mayPass = ({ status, message = '' }: Failure): boolean =>
  status === undefined
    ? /ECONNRESET|EPIPE|other side closed|socket hang up|connection (was )?(lost|reset|closed)/i.test(message)
    : status >= 500

function codeOf({ status, began }: Failure, text: string): ModelErrorCode {
  const certain = decisive[status ?? 0] ?? phrases.find(([, pattern]) => pattern.test(text))?.[0]
  if (certain) return certain
  if (status === undefined || status >= 500)
    return customary[status ?? 0] ?? (began ? 'interrupted' : 'provider_unavailable')
  if (status === 404) return text.includes('model') ? 'model_not_found' : 'provider_unavailable'
  return customary[status] ?? 'invalid_request'
}

const maxMessageLength = 300

/** Removes keys: vendors repeat them in their messages, whole or partly masked. */
function redact(text: string, apiKey: string | undefined): string {
  const masked = apiKey ? text.replaceAll(apiKey, '[key]') : text
  return masked
    .replace(/\b(sk|gsk|xai|pk|rk)-?[\w-]{0,60}[*•.]{3,}[\w-]*|\b(sk-|gsk_|AIza)[\w-]{16,}/g, '[key]')
    .replace(/\s+/g, ' ')
    .slice(0, maxMessageLength)
}

/**
 * Seconds the vendor asked us to wait. `Retry-After` is seconds or an HTTP date (RFC 9110, 10.2.3);
 * OpenAI and Azure add `retry-after-ms`, Google answers a `RetryInfo` in the body.
 */
export function retryAfterSeconds({ headers = {}, body = '' }: Failure, now: number): number | undefined {
  return fromMilliseconds(headers['retry-after-ms']) ?? fromHeader(headers['retry-after'], now) ?? fromBody(body)
}

function fromMilliseconds(value: string | undefined): number | undefined {
  return isNumber(value) ? Math.ceil(Number(value) / 1000) : undefined
}

function fromHeader(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (isNumber(value)) return Math.ceil(Number(value))
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

function fromBody(body: string): number | undefined {
  const delay = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return delay === undefined ? undefined : Math.ceil(Number(delay))
}

function isNumber(value: string | undefined): value is string {
  return value !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(value)
}

/** The content of a vendor's error body: machine words (types, codes, states) and the message for people. */
interface VendorError {
  words: string
  message: string | undefined
  /** The message is a body that is not JSON. */
  raw?: boolean
}

/** Reads the error shapes of all vendors, also when one is wrapped in another's, as gateways do. */
export function readVendorError(body: string | undefined): VendorError {
  const parsed = parseJson(body)
  if (parsed !== undefined) return readNode(parsed)
  const isPlainSentence = body && body.length <= 500 && !body.trimStart().startsWith('<')
  return isPlainSentence ? { words: '', message: body.trim(), raw: true } : { words: '', message: undefined }
}

function readNode(node: unknown): VendorError {
  if (typeof node === 'string') return { words: '', message: node }
  if (Array.isArray(node)) return readNode(node[0])
  if (!isRecord(node)) return { words: '', message: undefined }
  const inner = readNode(node.error ?? node.response)
  return {
    words: [node.type, node.code, node.status, reasonOf(node.details), inner.words].filter(isWord).join(' '),
    message: [inner.message, node.message, node.detail, invalidParts(node.detail), detailOf(node.metadata)].find(
      isSentence,
    ),
  }
}

/** Pydantic's list of what is wrong with a request: `body.store: Extra inputs are not permitted`. */
function invalidParts(detail: unknown): unknown {
  if (!Array.isArray(detail)) return undefined
  const parts = detail.filter(isRecord).map(({ loc, msg }) => {
    const place = Array.isArray(loc) ? `${loc.join('.')}: ` : ''
    return isSentence(msg) ? place + msg : ''
  })
  return parts.filter(isSentence).join('; ')
}

/** Google names the cause of a 400 in `details[].reason`. */
function reasonOf(details: unknown): unknown {
  if (!Array.isArray(details)) return undefined
  return details.find((detail) => isRecord(detail) && detail.reason)?.reason
}

/** OpenRouter keeps the upstream vendor's own words in `metadata.raw`. */
function detailOf(metadata: unknown): unknown {
  return isRecord(metadata) ? metadata.raw : undefined
}

const isWord = (value: unknown) => (typeof value === 'string' && value !== '') || typeof value === 'number'
const isSentence = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
