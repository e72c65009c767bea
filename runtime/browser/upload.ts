import { z } from 'zod'
import type { Context } from '../context.ts'
import { badRequest, invalidField, notFound } from '../fault.ts'
import { blobPath, root } from '../files/blobs.ts'
import { requireFile } from '../files/files.ts'
import { cleanName } from '../files/name.ts'
import { readBytes } from '../http/body.ts'
import { checkBody } from '../http/validate.ts'
import { withBrowser } from './use.ts'

/** Bytes of all files together: they travel to the browser as one message. */
const limit = 50 * 1024 * 1024

const target = {
  selector: z.string().min(1).max(2_000).optional(),
  ref: z.string().min(1).max(64).optional(),
  tab_id: z.string().max(64).optional(),
}

const ByIds = z.object({
  ...target,
  index: z.number().int().min(0).optional(),
  file_ids: z.array(z.string().max(64)).min(1).max(20),
})

const OfForm = z.object({ ...target, index: z.coerce.number().int().min(0).optional() })

interface Given {
  name: string
  mime_type: string
  bytes: Uint8Array
}

/** Puts files into a file field: those of a form, or those of `/api/files` by their ids. */
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
  const { file_ids, ...field } = checkBody(ByIds, parse(text)) as z.output<typeof ByIds>
  const stored = await Promise.all(file_ids.map((id) => requireFile(context, id)))
  if (stored.reduce((sum, { size_bytes }) => sum + size_bytes, 0) > limit)
    throw invalidField('file_ids', `must be at most ${limit} bytes together`)
  const files = stored.map(async ({ id, name, mime_type, sha256 }): Promise<Given> => {
    const bytes = await context.files.read(root, blobPath(sha256))
    if (!bytes) throw notFound(`The content of the file ${id}`)
    return { name, mime_type, bytes }
  })
  return { ...field, files: await Promise.all(files) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('The body is not valid JSON')
  }
}

async function ofForm(request: Request) {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw badRequest('Send a form with files, or JSON with file_ids')
  const bytes = await readBytes(request, limit)
  const form = await new Response(bytes as BodyInit, { headers: { 'content-type': type } })
    .formData()
    .catch(() => null)
  if (!form) throw badRequest('The body is not valid multipart/form-data')
  const entries = [...form.entries()]
  const fields = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const field = checkBody(OfForm, Object.fromEntries(fields)) as z.output<typeof OfForm>
  const given = entries.flatMap(([, value]) => (typeof value === 'string' ? [] : [value]))
  if (given.length === 0) throw invalidField('file', 'a file is needed')
  const files = given.map(async (file): Promise<Given> => {
    const name = cleanName(file.name)
    return {
      name,
      mime_type: file.type || 'application/octet-stream',
      bytes: new Uint8Array(await file.arrayBuffer()),
    }
  })
  return { ...field, files: await Promise.all(files) }
}
