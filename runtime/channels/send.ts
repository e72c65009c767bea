import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, Fault, notFound } from '../fault.ts'
import { blobPath, findFile, findFiles, requireFile, root } from '../files/index.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import { sumOf } from '../numbers.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { errorMessage } from '../thrown.ts'
import { iso, second } from '../time.ts'
import { within } from '../within.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import { Stopping } from '../work/run.ts'
import type { Work } from '../work/schema.ts'
import { enqueueOnce } from '../work/select.ts'
import { findChannel, findOwnChannel, reportConnection, type StoredChannel, updateChannel } from './channel-store.ts'
import { arrivalOf, connect, openReply, platformOf } from './connection.ts'
import { sendKind } from './kinds.ts'
import { logEntry } from './log-store.ts'
import {
  changeOutbound,
  dropFiles,
  endUnsent,
  forgetDraft,
  insertOutbound,
  markSent,
  nextOutbound,
  pendingLanes,
  retryOutbound,
  type StoredInbound,
  type StoredOutbound,
} from './message-store.ts'
import { ownersOn } from './pairing-store.ts'
import { type OutboundFile, type Peer, type Platform, SendFailed, uploadTime } from './platform.ts'
import { renderOutbound } from './render.ts'
import { findPeer } from './session-store.ts'
import { splitMarkdown } from './split.ts'

type Optional = 'kind' | 'turn' | 'approvals' | 'buttons' | 'files' | 'sealed_reply'

interface NewOutbound extends Pick<StoredOutbound, 'peer' | 'markdown'>, Partial<Pick<StoredOutbound, Optional>> {
  not_before?: number
}

/** Messages of one lane are processed in order: those of a chat, or of a thread in it. */
export const laneOf = (channel: string, { id, thread_id }: Peer): string =>
  `${channel} ${id}${thread_id === null ? '' : ` ${thread_id}`}`

/** The statements that queue a message, split at the platform's limit. */
export async function queueMessage(
  context: Context,
  channel: StoredChannel,
  message: NewOutbound,
): Promise<{ ids: string[]; statements: Statement[] }> {
  const now = context.clock.now()
  const lane = laneOf(channel.id, message.peer)
  const platform = await platformOf(context, channel.platform)
  const pieces = await piecesOf(context, message, platform)
  const rows = pieces.map((piece, index): StoredOutbound => {
    return {
      ...piece,
      id: newId('out', now),
      channel_id: channel.id,
      lane,
      kind: index === 0 ? (message.kind ?? 'message') : 'message',
      turn: message.turn ?? null,
      approvals: message.approvals ?? [],
      revision: 0,
      peer: message.peer,
      // Platforms that accept one reply per message count only one piece as the reply.
      sealed_reply: index === 0 || platform.keeps_threads ? (message.sealed_reply ?? null) : null,
      status: 'pending',
      attempts: 0,
      error: null,
      not_before: message.not_before !== undefined && message.not_before > now ? iso(message.not_before) : null,
      retry_at: null,
      platform_message_id: null,
      created_at: iso(now),
      sent_at: null,
    }
  })
  const due = Math.max(now, message.not_before ?? now)
  return {
    ids: rows.map(({ id }) => id),
    statements: [...rows.map(insertOutbound), queueLane(context, channel, lane, due)],
  }
}

/** The statements that answer a received message with a text that no model has written. */
export async function queueReply(
  context: Context,
  channel: StoredChannel,
  { message: { peer }, sealed_reply }: Pick<StoredInbound, 'message' | 'sealed_reply'>,
  markdown: string,
): Promise<Statement[]> {
  return (await queueMessage(context, channel, { peer, markdown, sealed_reply })).statements
}

type Piece = Pick<StoredOutbound, 'markdown' | 'buttons' | 'files'>

/** Maximum files of one message: Discord's limit. */
const maxFiles = 10

/** Splits a message into those that the platform receives. Files that are too large are named in the text instead. */
async function piecesOf(
  context: Context,
  { markdown, buttons = [], files: ids = [] }: NewOutbound,
  platform: Platform,
): Promise<Piece[]> {
  const files = [...(await findFiles(context, ids)).values()]
  const unsent = files.filter((file) => !accepts(platform, file)).map(({ name }) => name)
  const note = unsent.length === 0 ? '' : `(Not sent: ${unsent.join(', ')}. ${fileLimit(platform)})`
  // Before it is split, so that no piece holds a part of a secret.
  const safe = context.process.redaction.text(markdown)
  const text = [safe, note].filter((part) => part !== '').join('\n\n')
  const texts = splitMarkdown(text, platform.limits.text_characters)
  const accepted = files.filter((file) => accepts(platform, file))
  const groups = groupsOf(accepted, platform)
  const [withText = [], ...others] = platform.separate_files && texts.length > 0 ? [[], ...groups] : groups
  const last = texts.at(-1) ?? ''
  return [
    ...texts.slice(0, -1).map((piece): Piece => ({ markdown: piece, buttons: [], files: [] })),
    { markdown: last, buttons, files: withText },
    ...others.map((files): Piece => ({ markdown: '', buttons: [], files })),
  ]
}

/** The ids of the files, by message: the files of a message are together no larger than one may be. */
function groupsOf(
  files: readonly { id: string; size_bytes: number }[],
  { limits, separate_files }: Platform,
): string[][] {
  const groups: string[][] = []
  let bytes = 0
  for (const { id, size_bytes } of files) {
    const group = groups.at(-1)
    bytes += size_bytes
    if (group && !separate_files && bytes <= limits.file_bytes && group.length < maxFiles) group.push(id)
    else {
      groups.push([id])
      bytes = size_bytes
    }
  }
  return groups
}

const accepts = ({ limits }: Platform, { size_bytes }: { size_bytes: number }): boolean =>
  limits.file_bytes > 0 && size_bytes <= limits.file_bytes

function fileLimit({ title, limits: { file_bytes: limit } }: Platform): string {
  if (limit === 0) return `${title} accepts no files from bots`
  const size = limit < 1_000_000 ? `${limit / 1_000} kB` : `${limit / 1_000_000} MB`
  return `${title} accepts files of at most ${size}`
}

/** The statements that change a sent message where people see it; none if the platform cannot do that. */
export async function queueEdit(
  context: Context,
  channel: StoredChannel,
  message: StoredOutbound,
  change: Parameters<typeof changeOutbound>[1] = {},
): Promise<Statement[]> {
  const { edit } = await platformOf(context, channel.platform)
  if (!edit || message.platform_message_id === null || !channel.enabled) return []
  const due = context.clock.now()
  return [changeOutbound(message.id, change), queueLane(context, channel, message.lane, due)]
}

/** One unit of work sends all pending messages of a lane. */
export const queueLane = (
  host: Host,
  { id, owner_id }: Pick<StoredChannel, 'id' | 'owner_id'>,
  lane: string,
  due: number,
): Statement =>
  enqueueOnce(
    host,
    { kind: sendKind, subject: lane, lane, owner_id, due, payload: { channel_id: id } },
    { per_subject: true, or_sooner: true },
  )

/** Queues the messages that were held while the channel was disconnected. */
export async function queueWaiting(host: Host, channel: StoredChannel): Promise<Statement[]> {
  const lanes = await pendingLanes(host, channel.id)
  return lanes.map((lane) => queueLane(host, channel, lane, host.clock.now()))
}

export interface ChannelMessage extends Omit<NewOutbound, 'peer' | 'sealed_reply'> {
  channel_id: string
  /** The platform's id of a chat, room or address. Default: the paired owner. */
  to?: string | undefined
}

/**
 * The statements that queue a message on one of the caller's channels, for the caller's own commit. Throws a `Fault` if
 * the channel cannot send it. Used by notifications, jobs and alerts.
 */
export async function channelMessage(
  context: Context,
  { channel_id, markdown, to, ...more }: ChannelMessage,
): Promise<{ ids: string[]; statements: Statement[]; peer: Peer }> {
  const { channel, platform, peer } = await requireDestination(context, { channel_id, to })
  for (const id of more.files ?? []) requireAccepted(platform, await requireFile(context, id))
  return { ...(await queueMessage(context, channel, { ...more, markdown, peer })), peer }
}

/** One of the caller's channels, which must be enabled, with the recipient. */
export async function requireDestination(
  context: Context,
  { channel_id, to }: Pick<ChannelMessage, 'channel_id' | 'to'>,
): Promise<{ channel: StoredChannel; platform: Platform; peer: Peer }> {
  const channel = await findOwnChannel(context, channel_id)
  if (!channel) throw notFound(`The channel ${channel_id}`)
  if (!channel.enabled) throw conflict(`The channel ${channel.name} is disconnected`)
  const platform = await platformOf(context, channel.platform)
  return { channel, platform, peer: await recipient(context, channel, to) }
}

/** Throws a `Fault` if the platform does not accept the file. */
export function requireAccepted(platform: Platform, file: { name: string; size_bytes: number }): void {
  if (!accepts(platform, file)) throw conflict(`${file.name} cannot be sent: ${fileLimit(platform)}`)
}

/** Queues a message on one of the caller's channels and returns its id. It is delivered with retries. */
export async function sendToChannel(context: Context, message: ChannelMessage): Promise<string> {
  const { ids, statements } = await channelMessage(context, message)
  const [message_id = ''] = ids
  await context.commit(statements, [], { answer: { message_id } })
  return message_id
}

async function recipient(context: Context, channel: StoredChannel, to: string | undefined): Promise<Peer> {
  const owners = await ownersOn(context, channel.id)
  if (to === undefined) {
    const [owner] = owners
    if (owner) return owner.peer
    throw conflict(
      `Nobody is paired as the owner of the channel ${channel.name}: write to the bot and approve the code, or give a recipient`,
    )
  }
  const peer = await findPeer(context, channel.id, to)
  if (peer) return peer
  const paired = owners.find(({ sender_id, peer }) => sender_id === to || peer.id === to)
  return paired?.peer ?? { kind: 'dm', id: to, name: null, thread_id: null, team_id: null }
}

/** When each channel may send its next message, in milliseconds since the epoch. */
const pace = processState(() => new Map<string, number>())

/** Seconds before each retry, unless the platform gives a time. */
const delays = [2, 10, 30, 120, 600, 1_800, 3_600, 3_600]
/** Maximum retry delay that a platform can request, in seconds, so that a wrong value cannot block a channel for years. */
const maxWait = 24 * 3_600
/** Messages sent per unit of work, so that a long lane does not occupy a worker. */
const maxMessages = 50
const sendLimit = 60 * second

/** Sends the messages of a lane in order. Each is recorded as sent before the next; after a crash in between, it is sent again with the same id. */
export const sendWork: WorkKind = {
  kind: sendKind,
  max_running: 10,
  reports_events: true,
  after_crash: 'retry',
  // Without the unit, the messages of its lane would stay pending.
  retry: { max_attempts: Number.POSITIVE_INFINITY, delay_seconds: (attempt) => Math.min(2 * attempt, 60) },
  async run(work, context) {
    const channel = await findChannel(context, String(work.payload.channel_id))
    if (!channel?.enabled) return { status: 'succeeded' }
    for (let count = 0; count < maxMessages; count += 1) {
      context.signal.throwIfAborted()
      const later = await sendNext(work, context, channel)
      if (later !== 'sent') return again(context, channel, work, later)
    }
    return again(context, channel, work, context.clock.now())
  },
}

function again(host: Host, channel: StoredChannel, { subject }: Work, due: number | null): WorkOutcome {
  if (due === null) return { status: 'succeeded' }
  return { status: 'succeeded', statements: [queueLane(host, channel, subject, due)] }
}

/** Sends the next message. If there is none to send now, returns when to continue; null if none is pending. */
async function sendNext(work: Work, context: Context, channel: StoredChannel): Promise<'sent' | number | null> {
  const now = context.clock.now()
  const { message, later } = await nextOutbound(context, work.subject, iso(now))
  if (!message) return later === null ? null : Date.parse(later)
  if (message.retry_at !== null && Date.parse(message.retry_at) > now) return Date.parse(message.retry_at)
  const free = pace(context).get(channel.id) ?? 0
  if (free > now) return free
  return deliver(context, channel, message)
}

/** Whether the channel may send a message now. */
export const isFree = (host: Host, channel: string): boolean => (pace(host).get(channel) ?? 0) <= host.clock.now()

async function deliver(context: Context, channel: StoredChannel, message: StoredOutbound): Promise<'sent' | number> {
  let edits: string | null = null
  try {
    const { platform, connection } = await connect(context, channel)
    const rendered = await renderOutbound(context, platform, message)
    if ('later' in rendered) return rendered.later
    if ('nothing' in rendered) {
      const status = message.platform_message_id === null ? 'dropped' : 'sent'
      await context.commit([endUnsent(message, status, rendered.nothing)])
      return 'sent'
    }
    const { row } = rendered
    edits = rendered.edits
    const interval = second / platform.limits.messages_per_second
    pace(context).set(channel.id, context.clock.now() + interval)
    const outbound = {
      id: row.id,
      peer: row.peer,
      markdown: row.markdown,
      buttons: row.buttons,
      files: await filesOf(context, row),
      reply: await openReply(context, row.sealed_reply),
    }
    const bytes = sumOf(outbound.files, (file) => file.bytes.byteLength)
    const id = await within(context, { milliseconds: sendLimit + uploadTime(bytes) }, async (signal) => {
      const limited = { ...context, signal }
      if (edits === null) return (await platform.send(outbound, connection, limited)).platform_message_id
      await platform.edit?.(outbound, edits, connection, limited)
      return edits
    })
    const isNew = message.platform_message_id === null && row.kind !== 'draft'
    const isWebhook = arrivalOf(platform, connection) === 'webhook'
    await context.commit(
      [
        markSent(row, iso(context.clock.now()), id),
        ...(isNew ? await firstSent(context, channel, isWebhook, row) : []),
      ],
      isNew
        ? [
            event('channel.message.sent', {
              channel_id: channel.id,
              platform: channel.platform,
              message_id: row.id,
            }),
          ]
        : [],
    )
    return 'sent'
  } catch (thrown) {
    if (thrown instanceof GuardFailed || context.signal.reason instanceof Stopping) throw thrown
    return failed(context, channel, message, { thrown, edits })
  }
}

async function firstSent(
  context: Context,
  channel: StoredChannel,
  isWebhook: boolean,
  { peer }: StoredOutbound,
): Promise<Statement[]> {
  // Sending does not show that the connection for receiving is open.
  const isConnected = isWebhook || (await findChannel(context, channel.id))?.status === 'connected'
  const detail = `Sent to ${peer.name ?? peer.id}`
  return [
    updateChannel(channel.id, { last_outbound_at: iso(context.clock.now()) }),
    ...(isConnected ? [reportConnection(channel, { status: 'connected', last_error: null })] : []),
    ...logEntry(context, channel.id, { direction: 'outbound', outcome: 'ok', detail }),
  ]
}

async function failed(
  context: Context,
  channel: StoredChannel,
  message: StoredOutbound,
  { thrown, edits }: { thrown: unknown; edits: string | null },
): Promise<'sent' | number> {
  const now = context.clock.now()
  const error = errorMessage(thrown)
  const wait = thrown instanceof SendFailed ? thrown.retry_after_seconds : null
  const isFinal =
    (thrown instanceof SendFailed && thrown.is_permanent) ||
    thrown instanceof OutboundBlocked ||
    thrown instanceof Fault ||
    message.attempts >= delays.length
  const { id: channel_id, platform } = channel
  const noted = [
    updateChannel(channel_id, { last_error: error }),
    ...logEntry(context, channel_id, {
      direction: 'outbound',
      outcome: 'error',
      detail: isFinal ? `Not sent: ${error}` : `Attempt ${message.attempts + 1} failed: ${error}`,
    }),
  ]
  if (message.kind === 'draft' || (isFinal && edits !== null)) {
    if (wait !== null) pace(context).set(channel_id, now + Math.min(wait, maxWait) * second)
    context.log.write('info', 'cannot edit a message', { channel: channel_id, cause: error })
    await context.commit(unedited(message, edits))
    return 'sent'
  }
  if (isFinal && message.files.length > 0) {
    await context.commit([...(await sendWithoutFiles(context, channel, message, error)), ...noted])
    return 'sent'
  }
  if (isFinal) {
    await context.commit(
      [endUnsent(message, 'failed', error), ...noted],
      [event('channel.error', { channel_id, platform, error })],
    )
    return 'sent'
  }
  const retry = now + Math.min(Math.max(1, wait ?? delays[message.attempts] ?? 3_600), maxWait) * second
  // A platform's rate limit applies to all chats of the channel.
  if (wait !== null) pace(context).set(channel_id, retry)
  await context.commit([retryOutbound(message.id, iso(retry), error), ...noted])
  return retry
}

/** What a refused edit leaves: an answer is sent as a new message, anything else stays as it is. */
function unedited(message: StoredOutbound, edits: string | null): Statement[] {
  const isUnsent = message.platform_message_id === null
  if (message.kind === 'answer' && isUnsent && edits !== null) return [forgetDraft(message.channel_id, edits)]
  return [endUnsent(message, isUnsent ? 'dropped' : 'sent')]
}

/** Sends the text of a message whose files the platform refused, and then a message that says so. */
async function sendWithoutFiles(
  context: Context,
  channel: StoredChannel,
  message: StoredOutbound,
  error: string,
): Promise<Statement[]> {
  const { id, markdown, peer, files } = message
  const names = [...(await findFiles(context, files)).values()].map(({ name }) => name)
  const note = `I could not send ${names.join(', ') || 'a file'}: ${error.slice(0, 500)}.`
  const { statements } = await queueMessage(context, channel, { peer, markdown: note })
  return [markdown === '' ? endUnsent(message, 'failed', error) : dropFiles(id), ...statements]
}

async function filesOf(context: Context, { files }: StoredOutbound): Promise<OutboundFile[]> {
  const outbound: OutboundFile[] = []
  for (const id of files) {
    const file = await findFile(context, id)
    if (!file) continue
    const bytes = await context.files.read(root, blobPath(file.sha256))
    if (bytes) outbound.push({ name: file.name, mime_type: file.mime_type, bytes })
  }
  return outbound
}
