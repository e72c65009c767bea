import { channelMessage } from '../channels/index.ts'
import { note } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { sendEmail } from '../settings/index.ts'
import { beginningOf } from '../streams.ts'
import type { HookAction } from './action-schema.ts'
import { type Prepared, prepare } from './actions.ts'
import type { HookRunDetails } from './hook-run-store.ts'
import { hooks, type StoredHook } from './hooks.ts'
import { openHeaders } from './http-headers.ts'
import { plainText, TemplateError } from './template.ts'

type Of<Kind extends HookAction['kind']> = Extract<HookAction, { kind: Kind }>

/** Characters of a response that are stored. */
const maxExcerpt = 10_000

/** Prepares a hook's action for an event, for the commit that ends its run. HTTP requests are sent immediately. */
export async function prepareHook(context: Context, hook: StoredHook, run: HookRunDetails): Promise<Prepared> {
  const { action } = hook
  const data = { ...run.event }
  if (action.kind === 'http') return { ...nothing, result: await request(context, { ...hook, action }, data) }
  if (action.kind === 'notify') return notify(context, hook, { action, data })
  if (action.kind === 'decide') throw new TemplateError('Only a blocking hook can decide')
  return prepare(context, action, { name: hook.name, run_id: run.id, trigger: 'event', data })
}

const nothing = { statements: [], events: [], announce: () => undefined }

/** Sends the HTTP request of a hook. Throws if the response is not successful. */
export async function request(
  context: Context,
  { action: { method, url, body }, sealed_headers }: Pick<StoredHook, 'sealed_headers'> & { action: Of<'http'> },
  data: Record<string, unknown>,
): Promise<{ status: number; body: string }> {
  const text = body.trim() === '' ? JSON.stringify(data) : await plainText(body, data)
  const sent = new Headers({ 'content-type': 'application/json' })
  for (const [name, value] of Object.entries(await openHeaders(context, { sealed_headers }))) sent.set(name, value)
  const init: RequestInit = { method, headers: sent, signal: context.signal, redirect: 'manual' }
  if (method !== 'GET') init.body = text
  try {
    const response = await context.outbound.fetch(url, init)
    const answer = await beginningOf(response, maxExcerpt)
    if (!response.ok) throw new Error(`The receiver returned ${response.status}`)
    return { status: response.status, body: answer }
  } catch (thrown) {
    if (thrown instanceof OutboundBlocked)
      throw new TemplateError(`The guard for outgoing requests refused it: ${thrown.message}`)
    throw thrown
  }
}

async function notify(
  context: Context,
  { id, name, conversation_id: existingConversation }: StoredHook,
  { action, data }: { action: Of<'notify'>; data: Record<string, unknown> },
): Promise<Prepared> {
  const content = await plainText(action.message, data)
  if (action.channel === 'email') {
    await sendEmail(context, { to: [], subject: name.replace(/\s+/g, ' '), text: `${content}\n` })
    return { ...nothing, result: { channel: 'email' } }
  }
  if (action.channel === 'channel') {
    const channel_id = action.channel_id ?? ''
    const { ids, statements } = await channelMessage(context, { channel_id, markdown: content })
    const announce = () => context.process.wake()
    return { ...nothing, statements, announce, result: { channel_id, message_id: ids[0] } }
  }
  const { conversation_id, is_new, statements, events } = await note(context, {
    conversation_id: existingConversation,
    title: name,
    content,
  })
  const kept = is_new ? [hooks.table.update({ conversation_id }, { id })] : []
  return { ...nothing, statements: [...statements, ...kept], events, result: { conversation_id } }
}
