import { securityHeaders } from './headers.ts'

/** Scripts only from our own files. Inline styles are allowed: the component library sets them. */
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

export const uiHeaders = {
  ...securityHeaders,
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(self), geolocation=()',
  'cache-control': 'no-cache',
}

/** The page of every path that a browser opens, and of the browser client, which may use camera and location. */
export const uiPage = '/index.html'
const devicePage = '/device.html'
const devicePermissions = 'camera=(self), microphone=(), geolocation=(self)'

/** Paths of the API; everything else may be a page of the UI. */
const programPath = /^\/(api|health|ws|device\/ws|mcp)(\/|\?|$)/

/** `target`: path and query. */
export const isUiTarget = (method: string, target: string) =>
  (method === 'GET' || method === 'HEAD') && !programPath.test(target)

/** Whether a path without a file shows the page of the UI. */
export const isUiRoute = (path: string, accept: string | null | undefined) =>
  path === '/' || (accept?.includes('text/html') ?? false)

/** Plain names: no dot files, no `..`, nothing encoded. */
const nameShape = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/

/** The built file that has a path, with the headers of its response; null if no file can have it. */
export function uiFile(path: string): { file: string; headers: Record<string, string> } | null {
  const file = /^\/device\/?$/.test(path) ? devicePage : path
  if (!nameShape.test(file)) return null
  return { file, headers: { ...uiHeaders, ...ownHeaders(file) } }
}

/** A file with a hashed name never changes; any other is revalidated each time. */
function ownHeaders(file: string): Record<string, string> {
  if (file.startsWith('/assets/')) return { 'cache-control': 'public, max-age=31536000, immutable' }
  return file === devicePage ? { 'permissions-policy': devicePermissions } : {}
}
