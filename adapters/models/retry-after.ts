import type { Failure } from './classify-error.ts'

/**
 * Seconds the vendor asked us to wait. `Retry-After` is seconds or an HTTP date (RFC 9110, 10.2.3);
 * OpenAI and Azure add `retry-after-ms`, Google answers a `RetryInfo` in the body.
 */
export function retryAfterSeconds({ headers = {}, body = '' }: Failure, now: number): number | undefined {
  return (
    fromMilliseconds(headers['retry-after-ms']) ?? fromHeader(headers['retry-after'], now) ?? fromBody(body)
  )
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
