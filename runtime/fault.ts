/** One invalid field of a body or query. `path` is dotted, for example `model.provider`. */
export interface FaultIssue {
  path: string
  /** The path for people, as forms name it. */
  place?: string
  message: string
}

export interface FaultOptions {
  /** Extra fields of the error body, for example the running `job` of a 409. */
  extra?: Record<string, unknown>
  headers?: Record<string, string>
}

/** A request error. All of it is sent to the caller, so it must not contain secrets. */
export class Fault extends Error {
  override name = 'Fault'
  readonly status: number
  readonly code: string
  readonly extra: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(status: number, code: string, message: string, options: FaultOptions = {}) {
    super(message)
    this.status = status
    this.code = code
    this.extra = options.extra ?? {}
    this.headers = options.headers ?? {}
  }
}

export const badRequest = (message: string) => new Fault(400, 'bad_request', message)

export const unauthorized = (message: string) =>
  new Fault(401, 'unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } })

export const forbidden = (message: string) => new Fault(403, 'forbidden', message)

export const notFound = (what: string) => new Fault(404, 'not_found', `${what} was not found`)

export const conflict = (message: string, extra?: Record<string, unknown>) =>
  new Fault(409, 'conflict', message, extra ? { extra } : {})

/** For the guard of a change: of two requests that read the same row one wins. */
export const changedByAnother = (noun: string) => `The ${noun} was changed by another request; try again`

export const payloadTooLarge = (limitBytes: number) =>
  new Fault(413, 'payload_too_large', `The body is larger than ${limitBytes} bytes`)

export const invalid = (issues: FaultIssue[]) =>
  new Fault(422, 'validation_error', sentenceOf(issues), { extra: { issues } })

/** "limit must be an integer from 1 to 200; name is required". */
export const sentenceOf = (issues: FaultIssue[]): string =>
  issues.map(({ path, place = path, message }) => `${place || 'The body'} ${message}`).join('; ')

export const invalidField = (path: string, message: string) => invalid([{ path, message }])

export const rateLimited = (retryAfterSeconds: number, message = 'Too many attempts; try again later') =>
  new Fault(429, 'rate_limited', message, { headers: { 'retry-after': String(Math.ceil(retryAfterSeconds)) } })

/** The host does not implement this port; a worker has no browser, for example. */
export const unsupported = (message: string) => new Fault(503, 'unsupported', message)

export const unavailable = (message: string) => new Fault(503, 'unavailable', message)
