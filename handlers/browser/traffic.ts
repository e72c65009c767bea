import { z } from 'zod'
import { Download, downloadResponse, listDownloads, removeDownload } from '../../runtime/browser/downloads.ts'
import { ConsoleLine } from '../../runtime/browser/schema.ts'
import { uploadInBrowser } from '../../runtime/browser/upload.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted } from '../../runtime/http/page.ts'
import { file } from '../../runtime/http/returns.ts'

export const console = endpoint({
  method: 'GET',
  path: '/api/browser/console',
  summary: 'What pages wrote to their consoles, and their uncaught errors, the oldest first',
  query: z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(200) }),
  returns: z.object({ messages: z.array(ConsoleLine), total: z.number().int() }),
  run({ query }, context) {
    const all = context.browser.console()
    return { messages: all.slice(-query.limit), total: all.length }
  },
})

export const downloads = endpoint({
  method: 'GET',
  path: '/api/browser/downloads',
  summary: 'List what pages handed out as files',
  returns: z.object({ downloads: z.array(Download) }),
  async run(_, context) {
    return { downloads: await listDownloads(context) }
  },
})

export const downloadContent = endpoint({
  method: 'GET',
  path: '/api/browser/downloads/{id}/content',
  summary: 'The content of a downloaded file',
  returns: file('application/octet-stream'),
  run: ({ params }, context) => downloadResponse(context, params.id),
})

export const deleteDownload = endpoint({
  method: 'DELETE',
  path: '/api/browser/downloads/{id}',
  summary: 'Delete a downloaded file',
  returns: Deleted,
  async run({ params }, context) {
    await removeDownload(context, params.id)
    return { deleted: true, id: params.id }
  },
})

export const upload = endpoint({
  method: 'POST',
  path: '/api/browser/upload',
  summary:
    'Put files into a file field: a form with the files and selector, index or ref; or the same as JSON with file_ids',
  body_kind: 'form',
  idempotent: false,
  returns: z.object({ uploaded: z.array(z.string()) }),
  async run({ request }, context) {
    return { uploaded: await uploadInBrowser(context, request) }
  },
})
