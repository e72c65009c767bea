import { actingFor, everyone } from '../../runtime/auth/owner.ts'
import { isAttachedForCaller } from '../../runtime/chat/index.ts'
import type { Context } from '../../runtime/context.ts'
import { contentResponse } from '../../runtime/files/content.ts'
import { removeFile, requireFile, storeUpload } from '../../runtime/files/files.ts'
import { Purpose, StoredFile } from '../../runtime/files/schema.ts'
import { findFile, listFiles } from '../../runtime/files/store.ts'
import { withUpload } from '../../runtime/files/upload.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery, searchText } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { file } from '../../runtime/http/returns.ts'

export const list = listing({
  path: '/api/files',
  summary: 'List files, newest first',
  items: 'files',
  item: StoredFile,
  query: pageQuery().extend({ purpose: Purpose.optional(), search: searchText }),
  rows: listFiles,
})

/** `Idempotency-Key` is checked after the upload, because only the content shows whether it is the same file. */
export const create = endpoint('POST /api/files', {
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

export const show = endpoint('GET /api/files/{id}', {
  summary: 'Get a file without its content',
  returns: StoredFile,
  run: ({ params }, context) => requireShownFile(context, params.id),
})

export const content = endpoint('GET /api/files/{id}/content', {
  summary: 'Download a file, or a range of it',
  returns: file('application/octet-stream'),
  run: async ({ params, request }, context) =>
    contentResponse(context, await requireShownFile(context, params.id), request),
})

export const remove = removal({
  path: '/api/files/{id}',
  summary: 'Delete a file',
  remove: removeFile,
})
