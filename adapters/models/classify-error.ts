import { ModelError, type ModelErrorCode } from '../../runtime/ports/models.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { readVendorError } from './vendor-error.ts'

/** A failed call as it was seen on the wire. */
export interface Failure {
  provider: string
  /** HTTP status, or the one that the vendor put into an error event of the stream. */
  status?: number
  /** Lower-case names. */
  headers?: Record<string, string>
  body?: string
  /** What is known when the body says nothing, for example a network error. */
  message?: string
  /** The vendor had accepted the call and the answer had begun. */
  began: boolean
  /** Never appears in the result. */
  api_key?: string
}

/** Statuses that mean one thing at every vendor, whatever the body says. */
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
  [
    'context_overflow',
    /context_length_exceeded|exceed_context_size|context_?window_?exceeded|request_too_large/,
  ],
  ['context_overflow', /maximum context length|context window|prompt is too long|exceed context limit/],
  ['context_overflow', /exceeds the available context|input token count.*exceeds|context length of only/],
  ['context_overflow', /reduce the length of|too large for model with|input length.*exceeds/],
  ['billing', /insufficient_quota|insufficient[ _]balance|insufficient[ _]credits|credit balance is too low/],
  ['billing', /billing_(error|hard_limit|not_active)|payment[ _]required|requires more credits/],
  ['content_filter', /content_?filter|content_policy|content management policy|prohibited_content/],
  ['content_filter', /flagged|requires moderation|usage polic/],
  [
    'model_not_found',
    /model_not_found|model_decommissioned|invalid_model|no endpoints found|not a valid model/,
  ],
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
  return new ModelError(
    code,
    `${failure.provider}: ${redact(text, failure.api_key)}`,
    retryAfterSeconds(failure, now),
  )
}

function codeOf({ status, began }: Failure, text: string): ModelErrorCode {
  const certain = decisive[status ?? 0] ?? phrases.find(([, pattern]) => pattern.test(text))?.[0]
  if (certain) return certain
  if (status === undefined || status >= 500)
    return customary[status ?? 0] ?? (began ? 'interrupted' : 'provider_unavailable')
  if (status === 404) return text.includes('model') ? 'model_not_found' : 'provider_unavailable'
  return customary[status] ?? 'internal_error'
}

const longestMessage = 300

/** Vendors repeat keys in their messages, whole or with a masked middle. */
function redact(text: string, apiKey: string | undefined): string {
  const masked = apiKey ? text.replaceAll(apiKey, '[key]') : text
  return masked
    .replace(/\b(sk|gsk|xai|pk|rk)-?[\w-]*[*•.]{3,}[\w-]*|\b(sk-|gsk_|AIza)[\w-]{16,}/g, '[key]')
    .replace(/\s+/g, ' ')
    .slice(0, longestMessage)
}
