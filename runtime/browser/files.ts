import { z } from 'zod'
import { holds } from '../auth/caller.ts'
import type { Context } from '../context.ts'
import { badRequest, invalidField, notFound } from '../fault.ts'
import { blobPath, cleanName, download, downloadsRoot, requireFile, root, usedBytes } from '../files/index.ts'
import type { Host } from '../host.ts'
import { parseBody, readBytes } from '../http/body.ts'
import { checkBody } from '../http/validate.ts'
import { sumOf } from '../numbers.ts'
import { reference } from '../references.ts'
import type { Download } from '../tabs/schema.ts'
import { holderOf } from './holder.ts'
import { withBrowser } from './use.ts'

const contentUrl = (id: string) => `/api/browser/downloads/${id}/content`

/** Bytes left for downloads: the quota minus uploads and earlier downloads. */
export async function downloadRoom(host: Pick<Host, 'sql' | 'files'>, quota: number): Promise<number> {
  return Math.max(0, quota - (await usedBytes(host)))
}

/**
 * The caller's downloads of this run first, then those stored by earlier runs. The owner of the earlier ones is unknown,
 * so only an administrator sees them.
 */
export async function listDownloads(host: Context): Promise<Download[]> {
  const own = await Promise.all(
    ownDownloads(host).map(async ({ path, ...download }) => {
      // The file may have been deleted since.
      const there = download.status !== 'done' || (await findKept(host, download.id)) !== null
      return there ? [{ ...download, content_url: path === null ? null : contentUrl(download.id) }] : []
    }),
  )
  const folders = holds(host.caller, 'admin') ? await host.files.list(downloadsRoot) : []
  const earlier = folders.filter(({ kind, path }) => kind === 'folder' && isEarlier(host, path))
  const files = await Promise.all(earlier.map(({ path }) => findKept(host, path)))
  return [...own.flat(), ...files.filter((download) => download !== null)]
}

const ownDownloads = (host: Context) => host.browser.as(holderOf(host)).downloads()

const isEarlier = (host: Host, id: string) => !host.browser.downloads().some((download) => download.id === id)

/** Whether the caller may read and delete a download. */
const isVisible = (host: Context, id: string) =>
  ownDownloads(host).some((own) => own.id === id) || (isEarlier(host, id) && holds(host.caller, 'admin'))

async function findKept(host: Host, id: string): Promise<Download | null> {
  if (!/^dl_[0-9a-f]{32}$/.test(id)) return null
  const file = (await host.files.list(downloadsRoot, id)).find(({ kind }) => kind === 'file')
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

async function requireKept(host: Context, id: string): Promise<Download> {
  const file = isVisible(host, id) ? await findKept(host, id) : null
  if (!file) throw notFound('The download')
  return file
}

export async function downloadResponse(context: Context, id: string): Promise<Response> {
  const { name, size_bytes } = await requireKept(context, id)
  const stream = await context.files.readStream(downloadsRoot, `${id}/${name}`)
  if (!stream) throw notFound('The download')
  return download(stream, { name, size_bytes })
}

export async function removeDownload(context: Context, id: string): Promise<void> {
  if (!isVisible(context, id)) throw notFound('The download')
  const forgotten = await context.browser.forgetDownload(id)
  const kept = await findKept(context, id)
  if (kept) await context.files.remove(downloadsRoot, `${id}/${kept.name}`)
  else if (!forgotten) throw notFound('The download')
}

/** Bytes of all files together, which are sent to the browser as one message. */
const limit = 50 * 1024 * 1024

const target = {
  selector: z.string().min(1).max(2_000).optional(),
  ref: z.string().min(1).max(64).optional(),
  tab_id: reference('tab', 64).optional(),
}

const ByIds = z.object({
  ...target,
  index: z.int().min(0).optional(),
  file_ids: z.array(z.string().max(64)).min(1).max(20),
})

const OfForm = z.object({ ...target, index: z.coerce.number().int().min(0).optional() })

interface Given {
  name: string
  mime_type: string
  bytes: Uint8Array
}

/** Puts files into a file field: from a form, or from `/api/files` by id. */
export async function uploadInBrowser(context: Context, request: Request): Promise<string[]> {
  const json = /^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')
  const { files, ...field } = json ? await byIds(context, request) : await ofForm(request)
  if (field.selector === undefined && field.index === undefined && field.ref === undefined)
    throw invalidField('selector', 'selector, index or ref must name the file field')
  await withBrowser(context, (browser) => browser.upload(field, files))
  return files.map(({ name }) => name)
}

async function byIds(context: Context, request: Request) {
  const text = new TextDecoder().decode(await readBytes(request, context.config.json_limit))
  const { file_ids, ...field } = checkBody(ByIds, parseBody(text)) as z.output<typeof ByIds>
  const stored = await Promise.all(file_ids.map((id) => requireFile(context, id)))
  if (sumOf(stored, ({ size_bytes }) => size_bytes) > limit)
    throw invalidField('file_ids', `must be at most ${limit} bytes together`)
  const files = stored.map(async ({ id, name, mime_type, sha256 }): Promise<Given> => {
    const bytes = await context.files.read(root, blobPath(sha256))
    if (!bytes) throw notFound(`The content of the file ${id}`)
    return { name, mime_type, bytes }
  })
  return { ...field, files: await Promise.all(files) }
}

async function ofForm(request: Request) {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) throw badRequest('Send a form with files, or JSON with file_ids')
  const bytes = await readBytes(request, limit)
  const form = await new Response(bytes as BodyInit, { headers: { 'content-type': type } }).formData().catch(() => null)
  if (!form) throw badRequest('The body is not valid multipart/form-data')
  const entries = [...form.entries()]
  const fields = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const field = checkBody(OfForm, Object.fromEntries(fields)) as z.output<typeof OfForm>
  const uploads = entries.flatMap(([, value]) => (typeof value === 'string' ? [] : [value]))
  if (uploads.length === 0) throw invalidField('file', 'a file is needed')
  const files = uploads.map(async (file): Promise<Given> => {
    const name = cleanName(file.name)
    return {
      name,
      mime_type: file.type || 'application/octet-stream',
      bytes: new Uint8Array(await file.arrayBuffer()),
    }
  })
  return { ...field, files: await Promise.all(files) }
}
