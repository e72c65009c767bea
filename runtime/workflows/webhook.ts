import { z } from 'zod'
import type { Context } from '../context.ts'
import { verified, withoutSecrets } from '../credentials/index.ts'
import { eventsTopic } from '../events/event.ts'
import { conflict, Fault, notFound, unauthorized } from '../fault.ts'
import { callLimit } from '../http/call-limit.ts'
import { jsonResponse } from '../http/returns.ts'
import { againIfLost } from '../lost-race.ts'
import { second } from '../time.ts'
import { within } from '../within.ts'
import { asOwner } from '../work/run.ts'
import { beginAtOnce } from './early.ts'
import { findExecution } from './execution-store.ts'
import { dataOf } from './form.ts'
import { type HookResponse, jsonHookResponse, responseOf, waitingCalls } from './hook-response.ts'
import { WebhookParams } from './nodes/triggers.ts'
import { Responses, streamedResponse, streamingCall } from './response-stream.ts'
import { executionAt, resume, waitingToken } from './resume.ts'
import type { Workflow } from './schema.ts'
import type { Start } from './start.ts'
import { enabledTriggers } from './trigger-store.ts'
import { fieldsOf, receivedBody } from './webhook-body.ts'
import { findWorkflow } from './workflow-store.ts'

export const Resumed = z.object({ execution_id: z.string() })
type Resumed = z.output<typeof Resumed>

/** Headers that identify the caller's credentials and not the message. */
const privateHeaders = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** Maximum size of what continues an execution, in bytes. */
const maxMessage = 256 * 1024

/** Maximum calls of one address per minute. */
const countCall = callLimit(120)

/** Starts the workflow whose address was called. Whoever knows the address may. */
export async function receiveHook(context: Context, token: string, request: Request): Promise<Response> {
  const [trigger] = await enabledTriggers(context, 'webhook', context.secrets.sha256(token))
  const workflow = trigger && (await findWorkflow(context, trigger.workflow_id))
  const params = WebhookParams.safeParse(trigger?.config).data
  if (!workflow || !params?.methods.some((method) => method === request.method)) throw notFound('This webhook')
  countCall(context, trigger.key, params.calls_per_minute)
  const owner = asOwner(context, workflow)
  const message = await inputOf(owner, request, params)
  const input = params.output === 'body' ? message.body : message
  const start = { trigger: 'webhook' as const, node: trigger.node_id, input }
  if (params.response !== 'at_once') return answered(owner, workflow, { start, params })
  return accepted(await beginAtOnce(owner, workflow, start))
}

/** The message, if its caller has what the webhook asks for. */
async function inputOf(context: Context, request: Request, params: z.infer<typeof WebhookParams>) {
  const { credential, max_kilobytes } = params
  const limit = max_kilobytes * 1024
  if (credential === '') return messageOf(context, request, limit)
  const accepted = await verified(context, credential, request, limit)
  if (!accepted) throw unauthorized('This webhook is for callers with its credential')
  return withoutSecrets(context, await messageOf(context, accepted, limit))
}

/** Continues the execution whose address was called, if it waits for that. */
export async function receiveCall(context: Context, token: string, request: Request): Promise<Resumed> {
  countCall(context, context.secrets.sha256(token))
  const called = await executionAt(context, token)
  if (!called) throw notFound('This address')
  const owner = asOwner(context, called)
  const value = await messageOf(owner, request, maxMessage)
  return againIfLost(async () => {
    const execution = (await executionAt(context, token)) ?? called
    const waiting = await waitingToken(context, execution, 'call')
    const { methods = [] } = (dataOf(waiting?.wait) ?? {}) as { methods?: string[] }
    if (!waiting || !methods.includes(request.method)) throw conflict('The execution does not wait for this call')
    await owner.commit(resume(owner, execution, { token: waiting, signal: { type: 'wake', value } }))
    context.process.wake()
    return { execution_id: execution.id }
  })
}

const accepted = (execution_id: string) => jsonResponse(JSON.stringify({ execution_id }), { status: 202 })

/** Starts the workflow and waits for its response or end. If the caller leaves or the time is up, the execution continues. */
async function answered(
  context: Context,
  workflow: Workflow,
  { start, params }: { start: Start; params: z.infer<typeof WebhookParams> },
): Promise<Response> {
  const responses = new Responses()
  const notify = (news: HookResponse | 'succeeded' | 'failed') => {
    if (typeof news === 'string') responses.end(news)
    else if (params.response === 'respond_node') responses.push(news)
  }
  const calls = waitingCalls(context)
  const call = params.response === 'stream' ? streamingCall(responses, params.stream_format, context) : { notify }
  let id = ''
  let isStreaming = false
  const ends = context.bus.subscribe(eventsTopic, ({ type, data, foreign }) => {
    const isOver = type === 'workflow.run.finished' || type === 'workflow.run.failed'
    // After a wait, another daemon may have continued the execution.
    if (foreign && isOver && (data as { execution_id: string }).execution_id === id)
      responses.end(type === 'workflow.run.failed' ? 'failed' : 'succeeded')
  })
  const close = () => {
    calls.delete(id)
    ends.close()
  }
  try {
    // It waits before the execution can run.
    await beginAtOnce(context, workflow, start, (execution) => {
      calls.delete(id)
      id = execution
      calls.set(id, call)
    })
    const first = await within(context, { milliseconds: params.wait_seconds * second }, (signal) =>
      responses.next(signal),
    ).catch(() => null)
    if (first === null) return accepted(id)
    if (typeof first === 'string') return await responseAtEnd(context, id, params)
    if (params.response === 'respond_node') return await responseOf(context, first)
    isStreaming = true
    return await streamedResponse(context, { first, responses, close })
  } finally {
    if (!isStreaming) close()
  }
}

async function responseAtEnd(
  context: Context,
  id: string,
  { response, first_item }: z.infer<typeof WebhookParams>,
): Promise<Response> {
  const execution = await findExecution(context, id)
  // Why it failed is for the owner, who finds it at the execution.
  if (execution?.status !== 'succeeded') throw new Fault(500, 'workflow_failed', 'The workflow did not succeed')
  if (response !== 'at_end') return accepted(id)
  const output = execution.output.value
  return responseOf(context, jsonHookResponse(first_item && Array.isArray(output) ? output[0] : output))
}

/** The files are also in `$binary`, by field. */
async function messageOf(context: Context, request: Request, limit: number) {
  const url = new URL(request.url)
  const headers = [...request.headers].filter(([name]) => !privateHeaders.has(name))
  const { body, files } = await receivedBody(context, request, limit)
  return {
    method: request.method,
    query: fieldsOf(url.searchParams),
    headers: Object.fromEntries(headers),
    body,
    ...(files.length > 0 && { $binary: Object.fromEntries(files) }),
  }
}
