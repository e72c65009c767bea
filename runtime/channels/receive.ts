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
import { asOwner } from '../work/run.ts'
import { enqueueOnce } from '../work/select.ts'
import { findChannel, reportConnection, type StoredChannel, updateChannel } from './channel-store.ts'
import { connect, sealReply } from './connection.ts'
import { bindingFor } from './conversation.ts'
import { inboundKind } from './kinds.ts'
import { logEntry } from './log-store.ts'
import { editPending, insertInbound, isStored, type StoredInbound, trimHeard } from './message-store.ts'
import { findPairing } from './pairing-store.ts'
import type { InboundMessage, RawRequest } from './platform.ts'
import { isForBot, judge } from './policy.ts'
import { laneOf } from './send.ts'
import { isUrgent } from './slash.ts'

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
  const owner = asOwner(context, channel)
  const received = await verify(owner, channel, request)
  if (received.kind === 'refused') {
    await logRefusal(owner, channel, received.reason)
    throw unauthorized('The request is not signed by the platform')
  }
  if (received.kind === 'answered') return received.response
  const statements = await storing(owner, channel, received.messages)
  if (statements.length > 0) await owner.commit(statements)
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
    context.log.write('warn', 'cannot verify a platform request', { channel: channel.id, cause: thrown })
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
  await context.commit(logEntry(context, channel.id, { direction: 'inbound', outcome: 'refused', detail: reason }))
}

/** The statements that store messages and queue work for each, unless it is a duplicate; none if no message is for the bot. */
export async function storing(
  context: Context,
  channel: StoredChannel,
  messages: readonly InboundMessage[],
): Promise<Statement[]> {
  const stored = await Promise.all(
    messages.map((message) =>
      isForBot(channel.settings, message) ? statementsOf(context, channel, message) : hear(context, channel, message),
    ),
  )
  const now = iso(context.clock.now())
  // A valid signature proves that the credentials match the platform.
  const proven = channel.status === 'disconnected' ? [reportConnection(channel, { status: 'connected' })] : []
  const statements = stored.flat()
  if (statements.length === 0) return []
  return [...statements, updateChannel(channel.id, { last_inbound_at: now }), ...proven]
}

/** Characters of a message that the bot only heard. */
const maxHeardText = 500

/** Keeps what allowed people write in a group for the next message to the bot; the agent does not read it before. */
async function hear(context: Context, channel: StoredChannel, message: InboundMessage): Promise<Statement[]> {
  const pairing = await findPairing(context, channel.id, message.sender.id)
  const is_bound = (await bindingFor(context, channel, { message }))?.match.peer_id === message.peer.id
  const { settings } = channel
  const verdict = judge({ settings, message: { ...message, is_mention: true }, pairing, is_bound })
  if (verdict.do !== 'accept' || message.kind !== 'message') return []
  const quoted = message.quotes.filter(({ kind }) => kind !== 'reply').map(({ text }) => text)
  const names = message.files.map(({ name }) => `[${name}]`)
  const text = [message.text, ...quoted, ...names].filter(Boolean).join(' ').slice(0, maxHeardText)
  const stored = await storedOf(context, channel, { ...message, text, quotes: [], files: [], reply: {} })
  return [insertInbound({ ...stored, status: 'heard' }), trimHeard(channel.id, message.peer)]
}

async function storedOf(
  context: Host,
  channel: StoredChannel,
  { reply, ...message }: InboundMessage,
): Promise<StoredInbound> {
  const now = context.clock.now()
  const plain = (text: string) => text.replaceAll('\u0000', '').slice(0, maxText)
  return {
    id: newId('in', now),
    channel_id: channel.id,
    message_id: message.id,
    message: {
      ...message,
      text: plain(message.text),
      quotes: message.quotes.map((quote) => ({ ...quote, text: plain(quote.text) })),
    },
    sealed_reply: await sealReply(context, reply),
    status: 'pending',
    answer_id: null,
    received_at: iso(now),
  }
}

async function statementsOf(context: Host, channel: StoredChannel, message: InboundMessage) {
  const inbound = await storedOf(context, channel, message)
  const work = {
    kind: inboundKind,
    subject: inbound.id,
    owner_id: channel.owner_id,
    ...(isUrgent(message) ? {} : { lane: `in ${laneOf(channel.id, message.peer)}` }),
  }
  return [
    ...(message.kind === 'edit' && message.edits !== null
      ? [editPending(channel.id, message.edits, inbound.message.text)]
      : []),
    insertInbound(inbound),
    enqueueOnce(context, work, { per_subject: true, when: isStored(inbound.id) }),
  ]
}
