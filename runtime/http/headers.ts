import type { Config } from '../config.ts'

/** On every answer, errors and files too. The first four are part of the specified interface. */
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

/** Whether a page of `origin` may call. The daemon's own origin is the one that the request names as its host. */
export function originAllowed(origin: string, url: string, config: Config): boolean {
  return origin === new URL(url).origin || config.cors_origins.includes(origin)
}

/** The exact origin back when it is allowed, nothing otherwise; never `*`. */
export function corsFor(
  request: { method: string; url: string; headers: Headers },
  config: Config,
): Record<string, string> {
  const origin = request.headers.get('origin')
  if (!origin || !originAllowed(origin, request.url, config)) return { vary: 'Origin' }
  const allow = {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
  }
  return request.method === 'OPTIONS' ? { ...allow, ...corsHeaders } : allow
}

const acceptable = /^[\w.:-]{1,128}$/

/** The caller's `X-Request-Id` when it is harmless in a log, else a new one. */
export function requestId(headers: Headers): string {
  const given = headers.get('x-request-id')
  return given && acceptable.test(given) ? given : crypto.randomUUID()
}
