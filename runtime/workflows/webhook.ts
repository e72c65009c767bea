import type { Context } from '../context.ts'
import { badRequest, notFound } from '../fault.ts'
import { readBytes } from '../http/body.ts'
import { callLimit } from '../http/call-limit.ts'
import { workContext } from '../work/run.ts'
import { beginExecution } from './begin.ts'
import { enabledTriggers } from './trigger-store.ts'
import { findWorkflow } from './workflow-store.ts'

/** Headers that identify the caller's credentials and not the message. */
const privateHeaders = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** Maximum size of a message, in bytes. */
const maxMessage = 256 * 1024

/** Maximum calls of one address per minute. */
const countCall = callLimit(120)

/** Starts the workflow whose address was called. Whoever knows the address may. */
export async function receiveHook(
  context: Context,
  token: string,
  request: Request,
): Promise<{ execution_id: string }> {
  const [trigger] = await enabledTriggers(context, 'webhook', context.secrets.sha256(token))
  const workflow = trigger && (await findWorkflow(context, trigger.workflow_id))
  const methods = (trigger?.config.methods ?? ['POST']) as string[]
  if (!workflow || !methods.includes(request.method)) throw notFound('This webhook')
  countCall(context, trigger.key)
  const input = messageOf(request, await readBytes(request, maxMessage))
  const owner = workContext(context, { id: context.request_id, owner_id: workflow.owner_id }, context.signal)
  const start = { trigger: 'webhook' as const, node: trigger.node_id, input }
  return { execution_id: (await beginExecution(owner, workflow, start)).execution.id }
}

function messageOf(request: Request, bytes: Uint8Array) {
  const url = new URL(request.url)
  const text = new TextDecoder().decode(bytes)
  if (text.includes('\u0000')) throw badRequest('The body must not contain NUL characters')
  const headers = [...request.headers].filter(([name]) => !privateHeaders.has(name))
  return {
    method: request.method,
    query: fieldsOf(url.searchParams),
    headers: Object.fromEntries(headers),
    body: parsed(text, request.headers.get('content-type') ?? ''),
  }
}

/** By name; several values of one name are a list. */
const fieldsOf = (fields: URLSearchParams): Record<string, string | string[]> =>
  Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const [first = '', ...others] = fields.getAll(name)
      return [name, others.length === 0 ? first : [first, ...others]]
    }),
  )

function parsed(text: string, type: string): unknown {
  if (type.startsWith('application/x-www-form-urlencoded')) return fieldsOf(new URLSearchParams(text))
  try {
    return text === '' ? null : (JSON.parse(text) as unknown)
  } catch {
    return text
  }
}
