import { content, create, list } from '../../handlers/files/files.ts'
import { root } from '../../runtime/files/blobs.ts'
import type { StoredFile } from '../../runtime/files/schema.ts'
import type { Host } from '../../runtime/host.ts'
import { call } from '../support/call.ts'

type Content = string | Uint8Array

export interface UploadOptions {
  name?: string
  purpose?: string
  headers?: Record<string, string>
}

/** Uploads as a browser does, whose name for the type means nothing. */
export async function upload(host: Host, what: Content, options: UploadOptions = {}): Promise<Response> {
  const { name = 'note.txt', purpose, headers } = options
  const form = new FormData()
  if (purpose !== undefined) form.set('purpose', purpose)
  form.set('file', new File([what as BlobPart], name, { type: 'text/html' }))
  const encoded = new Response(form)
  const type = encoded.headers.get('content-type') ?? ''
  const body = new Uint8Array(await encoded.arrayBuffer())
  return call(create, host, { body, headers: { ...headers, 'content-type': type } })
}

export async function uploaded(host: Host, what: Content, options?: UploadOptions): Promise<StoredFile> {
  const response = await upload(host, what, options)
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`)
  return response.json()
}

/** Uploads a body as it is. */
export function uploadRaw(host: Host, body: string | Uint8Array, boundary = 'x'): Promise<Response> {
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  return call(create, host, { body, headers })
}

/** One part of a form. */
export const part = (head: string, body: string): string => `--x\r\n${head}\r\n\r\n${body}\r\n`
export const fileHead = (name: string): string => `Content-Disposition: form-data; name="file"; filename="${name}"`

export const download = (host: Host, id: string, headers: Record<string, string> = {}): Promise<Response> =>
  call(content, host, { params: { id }, headers })

export async function listed(host: Host, query: Record<string, string> = {}) {
  return (await call(list, host, { query })).json() as Promise<{ files: StoredFile[]; total: number }>
}

/** Paths of everything that lies in the store of files. */
export async function stored(host: Host, folder?: string): Promise<string[]> {
  const entries = await host.files.list(root, folder)
  const below = entries.map(({ path, kind }) => (kind === 'folder' ? stored(host, path) : [path]))
  return (await Promise.all(below)).flat().sort()
}

/** What an upload must leave when it has failed. */
export async function nothingStored(host: Host): Promise<boolean> {
  return (await stored(host)).length === 0 && (await listed(host)).total === 0
}

/** The smallest picture: one transparent point. */
export const png = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (character) => character.charCodeAt(0),
)
