import { z } from 'zod'
import { requireAccess } from '../../runtime/auth/authorise.ts'
import { downloadResponse, listDownloads, removeDownload, uploadInBrowser } from '../../runtime/browser/files.ts'
import { holderOf } from '../../runtime/browser/holder.ts'
import { withBrowser } from '../../runtime/browser/use.ts'
import { conflict } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { queryBoolean } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { file } from '../../runtime/http/returns.ts'
import { ConsoleLine, Download, Mock, NetworkRequest } from '../../runtime/tabs/schema.ts'

export const requests = endpoint('GET /api/browser/requests', {
  owner: 'none',
  summary: 'List recent network requests, oldest first; secrets in addresses are redacted',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(1_000).default(200),
    url: z.string().max(2_000).optional().meta({ description: 'Only addresses that contain this' }),
    resource_type: z.string().max(50).optional(),
  }),
  returns: z.object({ requests: z.array(NetworkRequest), total: z.int() }),
  run({ query }, context) {
    const { url = '', resource_type, limit } = query
    const all = context.browser
      .as(holderOf(context))
      .requests()
      .filter((one) => one.url.includes(url) && (resource_type ?? one.resource_type) === one.resource_type)
    return { requests: all.slice(-limit), total: all.length }
  },
})

export const startHar = endpoint('POST /api/browser/har/start', {
  owner: 'none',
  summary: 'Start recording a HAR of your tabs; restarts one that is being recorded',
  idempotent: false,
  returns: z.object({ recording: z.literal(true) }),
  async run(_, context) {
    await withBrowser(context, (browser) => browser.startHar())
    return { recording: true }
  },
})

export const stopHar = endpoint('POST /api/browser/har/stop', {
  owner: 'none',
  summary: 'Stop and return the HAR 1.2; credentials are redacted unless an administrator asks for them',
  idempotent: false,
  query: z.object({ keep_credentials: queryBoolean.default(false) }),
  returns: z.object({ log: z.looseObject({ version: z.literal('1.2') }) }),
  async run({ query }, context) {
    if (query.keep_credentials) requireAccess('admin', context)
    const har = await withBrowser(context, (browser) => browser.stopHar(query))
    if (har === null) throw conflict('No HAR is being recorded; POST /api/browser/har/start first')
    return har
  },
})

export const listMocks = endpoint('GET /api/browser/mock', {
  owner: 'none',
  summary: 'List your mocks, newest first; the newest matching mock answers a request',
  returns: z.object({ mocks: z.array(Mock) }),
  run: (_, context) => ({ mocks: context.browser.as(holderOf(context)).status().mocks.slice() }),
})

export const addMock = endpoint('POST /api/browser/mock', {
  owner: 'none',
  summary: 'Mock the responses of matching addresses in your tabs; the newest matching mock wins',
  body: Mock,
  returns: Mock,
  status: 201,
  async run({ body }, context) {
    await withBrowser(context, (browser) => browser.mock(body))
    return body
  },
})

export const clearMocks = endpoint('DELETE /api/browser/mock', {
  owner: 'none',
  summary: 'Remove all of your mocks',
  returns: z.object({ cleared: z.int() }),
  run: async (_, context) => ({ cleared: await withBrowser(context, (browser) => browser.clearMocks()) }),
})

export const console = endpoint('GET /api/browser/console', {
  owner: 'none',
  summary: 'List console messages and uncaught errors of pages, oldest first',
  query: z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(200) }),
  returns: z.object({ messages: z.array(ConsoleLine), total: z.int() }),
  run({ query }, context) {
    const all = context.browser.as(holderOf(context)).console()
    return { messages: all.slice(-query.limit), total: all.length }
  },
})

export const downloads = endpoint('GET /api/browser/downloads', {
  owner: 'none',
  summary: 'List downloads',
  returns: z.object({ downloads: z.array(Download) }),
  run: async (_, context) => ({ downloads: await listDownloads(context) }),
})

export const downloadContent = endpoint('GET /api/browser/downloads/{id}/content', {
  owner: 'none',
  summary: 'Get the content of a download',
  returns: file('application/octet-stream'),
  run: ({ params }, context) => downloadResponse(context, params.id),
})

export const deleteDownload = removal({
  path: '/api/browser/downloads/{id}',
  owner: 'none',
  summary: 'Delete a download',
  remove: removeDownload,
})

export const upload = endpoint('POST /api/browser/upload', {
  owner: 'none',
  summary:
    'Set the files of a file input: a form with the files and a selector, index or ref; or the same as JSON with file_ids',
  body_kind: 'form',
  idempotent: false,
  returns: z.object({ uploaded: z.array(z.string()) }),
  run: async ({ request }, context) => ({ uploaded: await uploadInBrowser(context, request) }),
})
