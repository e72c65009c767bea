import { z } from 'zod'
import type { Context } from '../context.ts'
import { notFound } from '../fault.ts'
import { inert } from '../files/content.ts'
import { attachment } from '../files/name.ts'
import { downloadsRoot as root, usedBytes } from '../files/usage.ts'
import type { Host } from '../host.ts'

export const Download = z.object({
  id: z.string(),
  /** Null for one of an earlier run of hearthd. */
  url: z.string().nullable(),
  name: z.string(),
  /** While it runs: what has come. */
  size_bytes: z.number().int().nullable(),
  /** Refused: it would take more than files may. */
  status: z.enum(['running', 'done', 'failed', 'refused']),
  /** Why it has failed or was refused. */
  error: z.string().nullable(),
  /** Where its content is; null until it is done. */
  content_url: z.string().nullable(),
})
export type Download = z.output<typeof Download>

const contentUrl = (id: string) => `/api/browser/downloads/${id}/content`

/** Bytes that downloads may still take: what uploads and earlier downloads have left of the quota. */
export async function downloadRoom(host: Pick<Host, 'sql' | 'files'>, quota: number): Promise<number> {
  return Math.max(0, quota - (await usedBytes(host)))
}

/** Those of this run first, then what lies there of earlier ones. */
export async function listDownloads(host: Host): Promise<Download[]> {
  const all = host.browser.downloads()
  const own = await Promise.all(
    all.map(async ({ path, ...download }) => {
      // The browser does not know of those that were deleted since.
      const there = download.status !== 'done' || (await findKept(host, download.id)) !== null
      return there ? [{ ...download, content_url: path === null ? null : contentUrl(download.id) }] : []
    }),
  )
  const known = new Set(all.map(({ id }) => id))
  const folders = await host.files.list(root)
  const earlier = folders.filter(({ kind, path }) => kind === 'folder' && !known.has(path))
  const found = await Promise.all(earlier.map(({ path }) => findKept(host, path)))
  return [...own.flat(), ...found.filter((download) => download !== null)]
}

async function findKept(host: Host, id: string): Promise<Download | null> {
  if (!/^dl_[0-9a-f]{32}$/.test(id)) return null
  const file = (await host.files.list(root, id)).find(({ kind }) => kind === 'file')
  if (!file) return null
  const name = file.path.split('/').at(-1) ?? ''
  return {
    id,
    url: null,
    name,
    size_bytes: file.size_bytes,
    status: 'done',
    error: null,
    content_url: contentUrl(id),
  }
}

async function requireKept(host: Host, id: string): Promise<Download> {
  const found = await findKept(host, id)
  if (!found) throw notFound('The download')
  return found
}

export async function downloadResponse(context: Context, id: string): Promise<Response> {
  const { name, size_bytes } = await requireKept(context, id)
  const stream = await context.files.readStream(root, `${id}/${name}`)
  if (!stream) throw notFound('The download')
  const { 'accept-ranges': _, ...headers } = inert
  return new Response(stream, {
    headers: {
      ...headers,
      'content-type': 'application/octet-stream',
      'content-disposition': attachment(name),
      'content-length': String(size_bytes),
    },
  })
}

export async function removeDownload(context: Context, id: string): Promise<void> {
  const forgotten = await context.browser.forgetDownload(id)
  const kept = await findKept(context, id)
  if (kept) await context.files.remove(root, `${id}/${kept.name}`)
  else if (!forgotten) throw notFound('The download')
}
