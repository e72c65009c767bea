import { requireAccess } from '../auth/authorise.ts'
import type { Context } from '../context.ts'
import { badRequest, Fault, notFound, unauthorized, unavailable } from '../fault.ts'
import type { Host } from '../host.ts'
import { readBytes } from '../http/body.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { errorMessage } from '../thrown.ts'
import { iso, second } from '../time.ts'
import { workContext } from '../work/run.ts'
import { enqueueOnce } from '../work/select.ts'
import { findChannel, reportConnection, type StoredChannel, updateChannel } from './channel-store.ts'
import { connect, sealReply } from './connection.ts'
import { inboundKind } from './kinds.ts'
import { logEntry } from './log-store.ts'
import { editPending, insertInbound, isStored, type StoredInbound } from './message-store.ts'
import type { InboundMessage, RawRequest } from './platform.ts'
import { laneOf } from './send.ts'

/** Maximum size of a platform's request, in bytes. */
const maxBody = 256 * 1024
/** Longer messages are truncated to this many characters for the agent. */
const maxText = 50_000

/** Verifies and stores a platform's request and returns the response. The agent works on the messages afterwards. */
export async function receiveWebhook(
  context: Context,
  { platform: name, channel_id }: { platform: string; channel_id: string },
  request: Request,
): Promise<Response> {
  requireAccess('public', context)
  const channel = await findChannel(context, channel_id)
  if (!channel?.enabled || channel.platform !== name) throw notFound('This channel')
  const owner = workContext(context, { id: context.request_id, owner_id: channel.owner_id }, context.signal)
  const received = await verify(owner, channel, request)
  if (received.kind === 'refused') {
    await logRefusal(owner, channel, received.reason)
    throw unauthorized('The request is not signed by the platform')
  }
  if (received.kind === 'answered') return received.response
  await storeMessages(owner, channel, received.messages)
  return received.response ?? new Response(null, { status: 200 })
}

async function verify(context: Context, channel: StoredChannel, request: Request) {
  try {
    const raw = await rawOf(request)
    const { platform, connection } = await connect(context, channel)
    return await platform.receive(raw, connection, context)
  } catch (thrown) {
    const reason = errorMessage(thrown)
    // Without credentials, no signature is valid.
    if (thrown instanceof Fault && thrown.status === 409) return { kind: 'refused' as const, reason }
    await logRefusal(context, channel, reason)
    if (thrown instanceof Fault) throw thrown
    if (thrown instanceof SyntaxError || (thrown instanceof Error && thrown.name === 'ZodError'))
      throw badRequest('The request cannot be read')
    context.log.write('warn', 'cannot verify a platform request', {
      channel: channel.id,
      cause: thrown,
    })
    throw unavailable('The request cannot be verified right now; send it again later')
  }
}

async function rawOf(request: Request): Promise<RawRequest> {
  const { method, url, headers } = request
  const media = (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? ''
  // Slack posts pressed buttons as a form.
  if (method === 'POST' && !/^(application\/(([\w.-]{1,50}\+)?json|x-www-form-urlencoded))?$/i.test(media))
    throw new Fault(415, 'unsupported_media_type', 'Send the body as application/json')
  return { method, url: new URL(url), headers, body: await readBytes(request, maxBody) }
}

/** When each channel last logged a refusal. Limits the rate, so that a stranger cannot fill the log. */
const refusals = processState(() => new Map<string, number>())

async function logRefusal(context: Context, channel: StoredChannel, reason: string): Promise<void> {
  const now = context.clock.now()
  const last = refusals(context).get(channel.id) ?? Number.NEGATIVE_INFINITY
  if (Math.abs(now - last) < second) return
  refusals(context).set(channel.id, now)
  await context.commit(
    logEntry(context, channel.id, { direction: 'inbound', outcome: 'refused', detail: reason }),
  )
}

/** Stores messages and queues work for each in one commit. Duplicates are ignored. */
export async function storeMessages(
  context: Context,
  channel: StoredChannel,
  messages: readonly InboundMessage[],
  also: readonly Statement[] = [],
): Promise<void> {
  const stored = await Promise.all(messages.map((message) => statementsOf(context, channel, message)))
  const now = iso(context.clock.now())
  // A valid signature proves that the credentials match the platform.
  const proven = channel.status === 'disconnected' ? [reportConnection(channel, { status: 'connected' })] : []
  const seen = messages.length > 0 ? [updateChannel(channel.id, { last_inbound_at: now }), ...proven] : []
  const statements = [...stored.flat(), ...seen, ...also]
  if (statements.length > 0) await context.commit(statements)
  if (messages.length > 0) context.process.wake()
}

async function statementsOf(
  context: Host,
  channel: StoredChannel,
  { reply, ...message }: InboundMessage,
): Promise<Statement[]> {
  const now = context.clock.now()
  const text = message.text.replaceAll('\u0000', '').slice(0, maxText)
  const inbound: StoredInbound = {
    id: newId('in', now),
    channel_id: channel.id,
    message_id: message.id,
    message: { ...message, text },
    sealed_reply: await sealReply(context, reply),
    status: 'pending',
    answer_id: null,
    received_at: iso(now),
  }
  const work = {
    kind: inboundKind,
    subject: inbound.id,
    owner_id: channel.owner_id,
    lane: `in ${laneOf(channel.id, message.peer)}`,
  }
  return [
    ...(message.kind === 'edit' && message.edits !== null
      ? [editPending(channel.id, message.edits, text)]
      : []),
    insertInbound(inbound),
    enqueueOnce(context, work, { per_subject: true, when: isStored(inbound.id) }),
  ]
}
