import type { Config } from '../config.ts'

/** Set on every response, including errors and files. The first four are part of the specified interface. */
export const securityHeaders: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const corsHeaders: Record<string, string> = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': 'Authorization, X-API-Key, Content-Type',
  'access-control-max-age': '3600',
}

const exposed = 'X-Request-Id, Idempotency-Replayed, Retry-After'

/** Whether pages from `origin` may call the API. The daemon's own origin is derived from the request URL. */
export function originAllowed(origin: string, url: string, config: Config): boolean {
  return origin === new URL(url).origin || config.cors_origins.includes(origin)
}

/**
 * CORS headers: the exact origin if it is allowed, else none; never `*`. `further` are origins that only this endpoint
 * allows: their pages may send whatever header it reads.
 */
export function corsFor(
  request: { method: string; url: string; headers: Headers },
  config: Config,
  further: readonly string[],
): Record<string, string> {
  const origin = request.headers.get('origin')
  const isFurther = further.includes('*') || further.includes(origin ?? '')
  if (!origin || !(isFurther || originAllowed(origin, request.url, config))) return { vary: 'Origin' }
  const allow = {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
  }
  if (request.method !== 'OPTIONS') return allow
  const requested = isFurther ? request.headers.get('access-control-request-headers') : null
  return { ...allow, ...corsHeaders, ...(requested && { 'access-control-allow-headers': requested }) }
}

const acceptable = /^[\w.:-]{1,128}$/

/** The caller's `X-Request-Id` if it is safe to log, else a new one. */
export function requestId(headers: Headers): string {
  const id = headers.get('x-request-id')
  return id && acceptable.test(id) ? id : crypto.randomUUID()
}
