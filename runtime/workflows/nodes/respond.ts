import { z } from 'zod'
import { isFile } from '../file-value.ts'
import {
  fileHookResponse,
  type HookResponse,
  jsonHookResponse,
  ResponseHeaders,
  waitingCalls,
} from '../hook-response.ts'
import { findFile, requireFileIn } from '../item-files.ts'
import { nodeType, permanentError } from '../node-type.ts'

const Params = z.object({
  respond_with: z.enum(['json', 'text', 'file', 'redirect', 'nothing']).default('json').meta({ title: 'Respond with' }),
  status: z.int().min(200).max(599).default(200).meta({
    description: 'HTTP status. A redirect uses 302 unless this is 301, 303, 307 or 308',
  }),
  body: z.unknown().default('=input').meta({ description: 'For JSON and text; of a file, where it is' }),
  url: z.string().max(8_000).default('').meta({ description: 'Where a redirect leads: an http or https URL' }),
  headers: ResponseHeaders.default({}).meta({
    description:
      'For example {"content-type": "text/html"}. Pages run no scripts. Cookies and security headers cannot be set',
  }),
})

export const respond = nodeType({
  type: 'respond',
  title: 'Respond to webhook',
  description:
    'Answers the caller of the webhook that started the run, if that waits for a respond node; the first answer counts. Its output is the input.',
  category: 'flow',
  params: Params,
  risk: 'low',
  pure: 'whole',
  async run(params, { context, execution, input }) {
    const response = responseFor(params, input)
    if (isFile(response.body)) await findFile(context, response.body)
    return { output: input, announce: () => waitingCalls(context).get(execution.id)?.notify(response) }
  },
})

const redirects = new Set([301, 302, 303, 307, 308])

function responseFor(
  { respond_with, status, body, url, headers }: z.infer<typeof Params>,
  input: unknown,
): HookResponse {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (respond_with === 'json' || respond_with === 'file') {
    const response = respond_with === 'json' ? jsonHookResponse(body) : fileHookResponse(requireFileIn(body, input))
    return { ...response, status, headers: { ...response.headers, ...own } }
  }
  if (respond_with === 'text') {
    const type = { 'content-type': 'text/plain; charset=utf-8' }
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
    return { status, headers: { ...type, ...own }, body: text }
  }
  if (respond_with === 'nothing') return { status, headers: own, body: null }
  const target = URL.parse(url)
  if (target?.protocol !== 'https:' && target?.protocol !== 'http:')
    throw permanentError('invalid_params', 'url must be an http or https URL')
  return {
    status: redirects.has(status) ? status : 302,
    headers: { ...own, location: target.href },
    body: null,
  }
}
