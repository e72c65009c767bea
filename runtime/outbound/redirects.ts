/** One request; a redirect turns it into the next. */
export interface Hop {
  url: URL
  method: string
  headers: Headers
  body: BodyInit | null
}

export type Next = { kind: 'answer' } | { kind: 'follow'; hop: Hop } | { kind: 'fail'; reason: string }

/** https://fetch.spec.whatwg.org/#http-redirect-fetch */
export function nextHop(hop: Hop, status: number, location: string | null): Next {
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return { kind: 'answer' }
  const url = URL.parse(location, hop.url)
  if (!url) return { kind: 'fail', reason: 'The redirect leads to something that is not a URL' }
  const becomesGet =
    (status === 303 && !['GET', 'HEAD'].includes(hop.method)) || (status < 303 && hop.method === 'POST')
  if (!becomesGet && isStream(hop.body)) {
    return {
      kind: 'fail',
      reason: 'The redirect asks for the body again, and a stream can be sent only once',
    }
  }
  const headers = headersFor(hop, { url, becomesGet })
  if (becomesGet) return { kind: 'follow', hop: { url, method: 'GET', headers, body: null } }
  return { kind: 'follow', hop: { ...hop, url, headers } }
}

/**
 * The headers that may be sent to another origin. An allowlist, because a credential can have any name
 * (`authorization`, `cookie`, `x-api-key`, `x-goog-api-key` …).
 */
const harmless = /^(accept(-language)?|cache-control|content-(type|language|encoding)|if-.*|pragma|range|user-agent)$/

/** Whether a header is also sent to the other origin that a redirect leads to, so that it must not be a credential. */
export const survivesRedirect = (name: string): boolean => harmless.test(name.toLowerCase())

function headersFor(hop: Hop, next: { url: URL; becomesGet: boolean }): Headers {
  const sameOrigin = next.url.origin === hop.url.origin
  const kept = [...hop.headers].filter(([name]) => {
    if (next.becomesGet && name.startsWith('content-')) return false
    return sameOrigin || harmless.test(name)
  })
  return new Headers(kept)
}

/** Whether a body can be sent only once. */
export function isStream(body: unknown): boolean {
  if (body === null || typeof body !== 'object' || body instanceof Blob || body instanceof FormData) return false
  return !(body instanceof URLSearchParams) && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body)
}
