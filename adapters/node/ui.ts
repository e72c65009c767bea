import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isUiRoute, isUiTarget, uiFile, uiHeaders, uiPage } from '../../runtime/http/ui-pages.ts'

export const isUiRequest = ({ method = '', url = '' }: IncomingMessage) => isUiTarget(method, url)

/** Sends a file of the built UI, or its page for a path that a browser opens. Returns false for anything else. */
export async function answerWithUi(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  const accept = request.headers['accept-encoding'] ?? ''
  const named = uiFile(path)
  const file = named && (await findUiFile(folder, named.file, String(accept)))
  if (file) return sendFile(file, named.headers, request, response)
  if (!isUiRoute(path, request.headers.accept)) return false
  const page = await findUiFile(folder, uiPage, String(accept))
  return page ? sendFile(page, uiHeaders, request, response) : sendMissing(response, request)
}

async function sendFile(
  file: UiFile,
  own: Record<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<true> {
  const headers: Record<string, string> = {
    ...own,
    'content-type': file.type,
    vary: 'Accept-Encoding',
    etag: file.etag,
  }
  if (request.headers['if-none-match']?.split(',').some((tag) => tag.trim() === file.etag)) {
    response.writeHead(304, headers).end()
    return true
  }
  if (file.encoding) headers['content-encoding'] = file.encoding
  response.writeHead(200, { ...headers, 'content-length': file.bytes })
  if (request.method === 'HEAD') response.end()
  else await pipeline(createReadStream(file.path), response).catch(() => response.destroy())
  return true
}

function sendMissing(response: ServerResponse, request: IncomingMessage): true {
  const page = Buffer.from(missingUi)
  const headers = { ...uiHeaders, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  response.writeHead(503, { ...headers, 'content-length': page.length })
  response.end(request.method === 'HEAD' ? undefined : page)
  return true
}

/** Served until the UI is built. */
const missingUi = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>hearthd</title>
    <style>body { font: 16px/1.5 system-ui; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }</style>
  </head>
  <body>
    <h1>hearthd is running</h1>
    <p>The web interface has not been built. In the folder of hearthd, run</p>
    <pre>npm run build</pre>
    <p>and reload this page. The API is available: <a href="/api/">/api/</a>, <a href="/health">/health</a>.</p>
  </body>
</html>
`

/** A built file of the UI, in an encoding that the browser accepts. */
interface UiFile {
  path: string
  type: string
  encoding: 'br' | 'gzip' | null
  etag: string
  bytes: number
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
}

const encodings = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const

/** The file of a URL path, or null. `accept` is the `Accept-Encoding` of the request. */
async function findUiFile(folder: string, path: string, accept: string): Promise<UiFile | null> {
  const type = types[extname(path)]
  if (!type) return null
  const original = join(folder, path)
  for (const { encoding, suffix } of encodings) {
    if (!new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0+)?\\s*(?:,|$))`).test(accept)) continue
    const stats = await fileStat(original + suffix)
    if (stats) return { path: original + suffix, type, encoding, ...identity(stats, encoding) }
  }
  const stats = await fileStat(original)
  return stats ? { path: original, type, encoding: null, ...identity(stats, 'plain') } : null
}

const identity = ({ size, mtimeMs }: Stats, encoding: string) => ({
  etag: `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}-${encoding}"`,
  bytes: size,
})

const fileStat = (path: string) =>
  stat(path).then(
    (stats) => (stats.isFile() ? stats : null),
    () => null,
  )
