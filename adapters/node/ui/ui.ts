import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { securityHeaders } from '../../../runtime/http/headers.ts'
import { findUiFile, openUiFile, type UiFile } from './files.ts'
import { missingUi } from './missing.ts'

/** No script but our own files. Styles may stand in the page: the component library sets them there. */
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

const pageHeaders = {
  ...securityHeaders,
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(self), geolocation=()',
}

/** Paths of the program; everything else may be a page of the UI. */
const programPath = /^\/(api|health|ws|device|mcp)(\/|\?|$)/

export const isUiRequest = ({ method, url = '' }: IncomingMessage) =>
  (method === 'GET' || method === 'HEAD') && !programPath.test(url)

/** Sends a file of the built UI, or its page for any path that a browser opens. False: neither. */
export async function answerWithUi(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  const accept = request.headers['accept-encoding'] ?? ''
  const file = path === '/' ? null : await findUiFile(folder, path, String(accept))
  if (file) return sendFile(file, path.startsWith('/assets/'), request, response)
  if (!request.headers.accept?.includes('text/html') && path !== '/') return false
  const page = await findUiFile(folder, '/index.html', String(accept))
  return page ? sendFile(page, false, request, response) : sendMissing(response, request)
}

/** Hashed names never change their content; the rest is asked for again each time. */
async function sendFile(
  file: UiFile,
  hashed: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<true> {
  const headers: Record<string, string> = {
    ...pageHeaders,
    'content-type': file.type,
    'cache-control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'Accept-Encoding',
    etag: file.etag,
  }
  if (request.headers['if-none-match']?.split(/\s*,\s*/).includes(file.etag)) {
    response.writeHead(304, headers).end()
    return true
  }
  if (file.encoding) headers['content-encoding'] = file.encoding
  response.writeHead(200, { ...headers, 'content-length': file.bytes })
  if (request.method === 'HEAD') response.end()
  else await pipeline(openUiFile(file), response).catch(() => response.destroy())
  return true
}

function sendMissing(response: ServerResponse, request: IncomingMessage): true {
  const page = Buffer.from(missingUi)
  const headers = { ...pageHeaders, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  response.writeHead(503, { ...headers, 'content-length': page.length })
  response.end(request.method === 'HEAD' ? undefined : page)
  return true
}
