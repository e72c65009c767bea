import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** One built file of the UI, in the encoding that the browser takes. */
export interface UiFile {
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

/** Plain names only: no dot files, no `..`, nothing encoded. */
const nameShape = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/

/** The file that a URL path names below `folder`, or null. `accept` is the request's `Accept-Encoding`. */
export async function findUiFile(folder: string, path: string, accept: string): Promise<UiFile | null> {
  const type = types[extname(path)]
  if (!type || !nameShape.test(path)) return null
  const original = join(folder, path)
  for (const { encoding, suffix } of encodings) {
    if (!new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0+)?\\s*(?:,|$))`).test(accept)) continue
    const found = await fileStat(original + suffix)
    if (found) return { path: original + suffix, type, encoding, ...identity(found, encoding) }
  }
  const found = await fileStat(original)
  return found ? { path: original, type, encoding: null, ...identity(found, 'plain') } : null
}

const identity = ({ size, mtimeMs }: Stats, encoding: string) => ({
  etag: `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}-${encoding}"`,
  bytes: size,
})

const fileStat = (path: string) =>
  stat(path).then(
    (found) => (found.isFile() ? found : null),
    () => null,
  )

export const openUiFile = (file: UiFile) => createReadStream(file.path)
