import { z } from 'zod'
import { actingFor, everyone } from '../../runtime/auth/owner.ts'
import { isAttachedForCaller } from '../../runtime/chat/message-store.ts'
import type { Context } from '../../runtime/context.ts'
import { contentResponse } from '../../runtime/files/content.ts'
import { removeFile, requireFile, storeUpload } from '../../runtime/files/files.ts'
import { Purpose, StoredFile } from '../../runtime/files/schema.ts'
import { findFile, listFiles } from '../../runtime/files/store.ts'
import { withUpload } from '../../runtime/files/upload.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { file } from '../../runtime/http/returns.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/files',
  summary: 'List files, newest first',
  query: pageQuery().extend({ purpose: Purpose.optional(), search: z.string().max(200).optional() }),
  returns: listOf('files', StoredFile),
  async run({ query }, context) {
    const { limit, offset } = query
    return { ...(await listFiles(context, query)), limit, offset }
  },
})

/** `Idempotency-Key` is checked after the upload, because only the content shows whether it is the same file. */
export const create = endpoint({
  method: 'POST',
  path: '/api/files',
  summary: 'Upload a file: the form field file, and optionally purpose',
  body_kind: 'form',
  idempotent: false,
  returns: StoredFile,
  status: 201,
  run: ({ request, once }, context) =>
    withUpload(context, request, (upload) => {
      const { name, purpose, sha256 } = upload
      return once({ name, purpose, sha256 }, () => storeUpload(context, upload))
    }),
})

/** The file if it is the caller's, or attached in a conversation that they may read. */
async function requireShownFile(context: Context, id: string): Promise<StoredFile> {
  const own = await findFile(context, id)
  if (own) return own
  return requireFile((await isAttachedForCaller(context, id)) ? actingFor(context, everyone) : context, id)
}

export const show = endpoint({
  method: 'GET',
  path: '/api/files/{id}',
  summary: 'Get a file without its content',
  returns: StoredFile,
  async run({ params }, context) {
    return requireShownFile(context, params.id)
  },
})

export const content = endpoint({
  method: 'GET',
  path: '/api/files/{id}/content',
  summary: 'Download a file, or a range of it',
  returns: file('application/octet-stream'),
  async run({ params, request }, context) {
    return contentResponse(context, await requireShownFile(context, params.id), request)
  },
})

export const remove = removal({
  path: '/api/files/{id}',
  summary: 'Delete a file',
  remove: removeFile,
})
