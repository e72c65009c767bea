import { z } from 'zod'
import { contentResponse } from '../../runtime/files/content.ts'
import { removeFile, requireFile, storeUpload } from '../../runtime/files/files.ts'
import { Purpose, StoredFile } from '../../runtime/files/schema.ts'
import { listFiles } from '../../runtime/files/store.ts'
import { withUpload } from '../../runtime/files/upload.ts'
import { type Endpoint, endpoint } from '../../runtime/http/endpoint.ts'
import { once } from '../../runtime/http/idempotency.ts'
import { Deleted, listOf, pageQuery } from '../../runtime/http/page.ts'

const params = z.object({ id: z.string() })

export const list = endpoint({
  method: 'GET',
  path: '/api/files',
  summary: 'List files, the newest first',
  query: pageQuery().extend({ purpose: Purpose.optional(), search: z.string().max(200).optional() }),
  returns: listOf('files', StoredFile),
  async run({ query }, context) {
    const { limit, offset } = query
    return Response.json({ ...(await listFiles(context, query)), limit, offset })
  },
})

/** An `Idempotency-Key` is looked at behind the upload: only then is known whether the same file came again. */
export const create: Endpoint = endpoint({
  method: 'POST',
  path: '/api/files',
  summary: 'Upload a file: the field file of a form, and optionally its purpose',
  body_kind: 'form',
  idempotent: false,
  returns: StoredFile,
  status: 201,
  run: ({ request }, context) =>
    withUpload(context, request, ({ name, purpose, sha256, ...upload }) => {
      const store = async () =>
        Response.json(await storeUpload(context, { ...upload, name, purpose, sha256 }), { status: 201 })
      return once(
        { ...create, idempotent: true },
        { request, body: { name, purpose, sha256 } },
        context,
        store,
      )
    }),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/files/{id}',
  summary: 'Read what is known of a file',
  params,
  returns: StoredFile,
  async run({ params }, context) {
    return Response.json(await requireFile(context, params.id))
  },
})

export const content = endpoint({
  method: 'GET',
  path: '/api/files/{id}/content',
  summary: 'Download a file, or a range of it',
  params,
  produces: 'application/octet-stream',
  async run({ params, request }, context) {
    return contentResponse(context, await requireFile(context, params.id), request)
  },
})

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/files/{id}',
  summary: 'Delete a file',
  params,
  returns: Deleted,
  async run({ params }, context) {
    await removeFile(context, params.id)
    return Response.json({ deleted: true, id: params.id })
  },
})
