import { profile } from '../auth/profile.ts'
import {
  type Approval,
  approvalsOfTurn,
  type FilePart,
  findApproval,
  findMessage,
  listMessages,
  type Message,
  proactiveSettings,
  publicApproval,
  questionIn,
  quietUntil,
  textOf,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import type { StoredEvent } from '../events/commit.ts'
import type { Consumed } from '../events/consumer.ts'
import type { EventInput, EventMap } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { readSection } from '../sections/section.ts'
import { workContext } from '../work/run.ts'
import { channelOwners, findChannel, type StoredChannel } from './channel-store.ts'
import { pairingButtons } from './commands.ts'
import { platformOf } from './connection.ts'
import { changeOutbound, inboundOfAnswer, lastSent, outboundOfTurn, type StoredOutbound } from './message-store.ts'
import { withOptions } from './options.ts'
import { ownersOn } from './pairing-store.ts'
import type { Button, Peer, Platform } from './platform.ts'
import { updateProgress } from './progress.ts'
import { fitTogether, isPending, partsOf } from './question.ts'
import { queueEdit, queueLane, queueMessage, requireDestination } from './send.ts'
import { type Session, sessionOf } from './session-store.ts'
import { channelNotifications, type Notification } from './settings.ts'
import type { announcedTypes } from './sources.ts'

type Type = (typeof announcedTypes)[number]

/** The messages and turns that events cause, for the commit that advances the outbox cursor. */
export async function announceAll(events: readonly StoredEvent[], host: Host): Promise<Consumed> {
  const consumed: Required<Omit<Consumed, 'announce'>> = { statements: [], events: [] }
  for (const [index, one] of events.entries()) {
    // What one turn asks is one message.
    if (isSameQuestion(one, events.slice(0, index))) continue
    const { statements = [], events: caused = [] } = await announce(host, one)
    consumed.statements.push(...statements)
    consumed.events.push(...caused)
  }
  return consumed
}

const isSameQuestion = ({ type, data }: StoredEvent, earlier: readonly StoredEvent[]): boolean =>
  type === 'approval.requested' &&
  earlier.some((one) => one.type === type && conversationIn(one.data) === conversationIn(data))

const conversationIn = (data: unknown) => (data as EventMap['approval.requested']).conversation_id

interface Announced {
  statements?: Statement[]
  events?: EventInput[]
}

const nothing: Announced = {}

const announcers: { [Name in Type]: (context: Context, data: EventMap[Name]) => Promise<Announced> } = {
  'message.sent': (context, { conversation_id, message_id }) => deliverAnswer(context, conversation_id, message_id),
  'agent.run.failed': (context, { conversation_id, message_id }) => deliverAnswer(context, conversation_id, message_id),
  'approval.requested': askForApproval,
  'approval.resolved': async (context, { approval_id }) => {
    const turn = (await findApproval(context, approval_id))?.run_ref
    if (turn === undefined) return nothing
    return { statements: [...(await refreshQuestions(context, turn)), updateProgress(turn)] }
  },
  'job.run.failed': async (context, { name, error, will_retry }) =>
    will_retry
      ? nothing
      : notify(context, 'job_failed', {
          markdown: `**The job ${name} failed.**${error ? `\n\n${error}` : ''}`,
        }),
  'budget.warning': (context, { scope, pct, window }) =>
    notify(context, 'budget', {
      markdown: `**A budget is ${Math.round(pct)} % used**: ${scope.kind}, per ${window}.`,
    }),
  'budget.exceeded': (context, { scope, window, action }) =>
    notify(context, 'budget', {
      markdown: `**A budget is used up**: ${scope.kind}, per ${window} (${action}).`,
    }),
  'alert.fired': (context, { name, summary, value_text }) =>
    notify(context, 'alert', {
      markdown: `**Alert: ${name}**\n\n${summary}; now ${value_text ?? 'unknown'}.`,
    }),
  'permission.digest': (context, { title, text }) =>
    notify(context, 'permissions', { markdown: `**${title}**\n\n${text}` }),
  'channel.pairing.requested': async (context, { channel_id, pairing_id, sender_id, sender_name, code }) => {
    const channel = await findChannel(context, channel_id)
    const where = channel ? ` on ${channel.name}` : ''
    const who =
      sender_name === null ? displayName(sender_id) : `${displayName(sender_name)} (${displayName(sender_id)})`
    return notify(context, 'pairing', {
      markdown: `**${who} wants to write to me${where}.** Their code is ${code}. Reply \`pair ${code}\` or \`deny ${code}\`.`,
      buttons: pairingButtons(pairing_id),
    })
  },
}

/** A name on one line without formatting, because strangers choose their names and the owner reads this text. */
const displayName = (name: string): string => name.replace(/[^\p{L}\p{N}\p{M} .,@+:/_-]/gu, ' ').slice(0, 80)

/** An event without an owner goes to everyone who has a channel. */
async function announce(host: Host, { seq, type, data, owner_id, chain_depth }: StoredEvent): Promise<Announced> {
  const run = announcers[type as Type] as (context: Context, data: unknown) => Promise<Announced>
  const owners = owner_id === null ? await channelOwners(host) : [owner_id]
  const all: Required<Announced> = { statements: [], events: [] }
  for (const owner of owners) {
    const context = workContext(host, { id: `event_${seq}`, owner_id: owner, chain_depth }, host.process.stopping)
    try {
      const { statements = [], events = [] } = await run(context, data)
      all.statements.push(...statements)
      all.events.push(...events)
    } catch (thrown) {
      // One event that cannot be announced must not block the others.
      if (!(thrown instanceof Fault)) throw thrown
      host.log.write('info', 'cannot announce an event on a channel', { type, cause: thrown.message })
    }
  }
  return all
}

/** Where an agent's answer is sent; null unless its conversation belongs to a channel. */
async function destinationOf(context: Context, conversation: string, answer: string) {
  const received = await inboundOfAnswer(context, answer)
  const session = await sessionOf(context, conversation)
  const peer = received?.message.peer ?? session?.peer
  const channel = peer ? await findChannel(context, received?.channel_id ?? session?.channel_id ?? '') : null
  return channel && peer ? { channel, peer, received, session } : null
}

async function deliverAnswer(context: Context, conversation: string, id: string): Promise<Announced> {
  const statements = await refreshQuestions(context, id)
  const answered = await answerMessage(context, conversation, id)
  return { statements: [...statements, ...(answered?.statements ?? []), updateProgress(id)] }
}

async function answerMessage(context: Context, conversation: string, id: string) {
  const place = await destinationOf(context, conversation, id)
  const answer = place && (await findMessage(context, id))
  if (!answer) return null
  const { channel, peer, received, session } = place
  // The message was written in the web UI, so the answer is read there.
  if (!received && (await askedOf(context, answer))) return null
  const text = textFor(answer, session?.is_owner ?? false)
  const files = session?.is_owner ? filesIn(answer) : []
  if (text === '' && files.length === 0) return null
  const options = answer.error ? [] : (questionIn(answer)?.options ?? [])
  const { has } = await platformOf(context, channel.platform)
  const written = has.buttons ? withOptions(text, { turn: id, options }) : { markdown: text }
  const sealed_reply = received?.sealed_reply ?? null
  return queueMessage(context, channel, { kind: 'answer', turn: id, peer, ...written, files, sealed_reply })
}

/** The person's message that this is the answer to; null if it answers something else. */
async function askedOf(context: Context, { conversation_id, id }: Message): Promise<Message | null> {
  const [before] = await listMessages(context, conversation_id, { before: id, limit: 1 })
  return before?.role === 'user' ? before : null
}

/** The text of an answer. Only the owner sees why it failed. */
function textFor(answer: Message, isOwners: boolean): string {
  const text = textOf(answer.parts).trim()
  if (!answer.error) return text
  if (answer.error.code === 'cancelled') return ''
  const reason = isOwners ? `I could not answer: ${answer.error.message}.` : 'I cannot answer right now.'
  return [text, reason].filter((part) => part !== '').join('\n\n')
}

/** Files that tools showed or that the answer links to. */
function filesIn({ parts }: Message): string[] {
  const ids = parts.filter((part): part is FilePart => part.type === 'file').map(({ file_id }) => file_id)
  const linked = [...textOf(parts).matchAll(/\/api\/files\/(file_[0-9a-z]{26})\/content/g)].map(([, id = '']) => id)
  return [...new Set([...ids, ...linked])].slice(0, 10)
}

/** Asks the paired owner: in the chat where they talk to the agent, else in their chat on the channel, else by notification. */
async function askForApproval(
  context: Context,
  { approval_id, conversation_id }: EventMap['approval.requested'],
): Promise<Announced> {
  const turn = (await findApproval(context, approval_id))?.run_ref
  const session = turn && (await sessionOf(context, conversation_id))
  const place = (session && (await ownersChat(context, session))) ?? (await notified(context, 'approval'))
  if (!turn || !place) return nothing
  const { channel } = place
  const rows = await outboundOfTurn(context, turn)
  const questions = rows.filter((row) => row.kind === 'question' && row.channel_id === channel.id)
  const approvals = (await approvalsOfTurn(context, turn)).map(publicApproval)
  const isAsked = ({ id }: Approval) => questions.some(({ approvals: ids }) => ids.includes(id))
  const waiting = approvals.filter((approval) => isPending(approval) && !isAsked(approval))
  const platform = await platformOf(context, channel.platform)
  const open = await openQuestion(context, questions.at(-1), { approvals, platform })
  const [first = [], ...others] = grouped(waiting, platform, open?.asked ?? [])
  const idsOf = (group: readonly Approval[]) => group.map(({ id }) => id)
  const received = platform.keeps_threads ? await inboundOfAnswer(context, turn) : null
  const isAsker = received?.channel_id === channel.id && received.message.peer.id === place.peer.id
  const sealed_reply = isAsker ? received.sealed_reply : null
  const statements: Statement[] = []
  if (open && first.length > open.asked.length)
    statements.push(
      changeOutbound(open.row.id, { approvals: idsOf(first) }),
      queueLane(context, channel, open.row.lane, Date.parse(open.row.not_before ?? open.row.created_at)),
    )
  for (const group of open ? others : [first, ...others].filter(({ length }) => length > 0)) {
    const common = { ...place, turn, approvals: idsOf(group), sealed_reply }
    const parts = group.flatMap((approval) => partsOf(approval, platform))
    const messages = [
      ...parts.map((markdown) => ({ ...common, kind: 'part' as const, markdown })),
      { ...common, kind: 'question' as const, markdown: '' },
    ]
    for (const message of messages) statements.push(...(await queueMessage(context, channel, message)).statements)
  }
  return { statements }
}

/** The last question of a turn, if more can be added to it: it is not sent, or it is the last message and can be edited. */
async function openQuestion(
  context: Context,
  row: StoredOutbound | undefined,
  { approvals, platform }: { approvals: readonly Approval[]; platform: Platform },
): Promise<{ row: StoredOutbound; asked: Approval[] } | null> {
  if (!row || ['failed', 'dropped'].includes(row.status)) return null
  const isSent = row.platform_message_id !== null || row.status === 'sent'
  if (isSent && (!platform.edit || (await lastSent(context, row.lane))?.id !== row.id)) return null
  const asked = row.approvals.flatMap((id) => approvals.find((approval) => approval.id === id) ?? [])
  return asked.some(isPending) ? { row, asked } : null
}

/** Approvals by the message that asks for them; `open` are those of a message that can take more. */
function grouped(waiting: readonly Approval[], platform: Platform, open: readonly Approval[]): Approval[][] {
  const groups: Approval[][] = [[...open]]
  for (const approval of waiting) {
    const group = groups.at(-1) ?? []
    if (group.length === 0 || fitTogether([...group, approval], platform)) group.push(approval)
    else groups.push([approval])
  }
  return groups
}

/** Changes the sent questions of a turn to what has been decided, without the buttons that are over. */
async function refreshQuestions(context: Context, turn: string): Promise<Statement[]> {
  const rows = await outboundOfTurn(context, turn)
  const open = rows.filter(({ kind, buttons }) => kind === 'question' && buttons.length > 0)
  const statements = open.map(async (row) => {
    const channel = await findChannel(context, row.channel_id)
    return channel ? queueEdit(context, channel, row) : []
  })
  return (await Promise.all(statements)).flat()
}

/** The chat in which the owner of a channel is asked about a session. */
async function ownersChat(context: Context, session: Session): Promise<{ channel: StoredChannel; peer: Peer } | null> {
  const channel = await findChannel(context, session.channel_id)
  const [owner] = channel ? await ownersOn(context, channel.id) : []
  if (!channel?.enabled || !owner) return null
  return { channel, peer: session.is_owner ? session.peer : owner.peer }
}

interface Note {
  markdown: string
  buttons?: Button[]
}

/** Queues a notification on the owner's chosen channel. */
async function notify(context: Context, kind: Notification, note: Note): Promise<Announced> {
  const place = await notified(context, kind)
  if (!place) return nothing
  const { has } = await platformOf(context, place.channel.platform)
  const { markdown, buttons = [] } = note
  return queueMessage(context, place.channel, { ...place, markdown, buttons: has.buttons ? buttons : [] })
}

/** Where the owner gets notifications of a kind, and when: after their quiet hours. Null if they do not want them. */
async function notified(
  context: Context,
  kind: Notification,
): Promise<{ channel: StoredChannel; peer: Peer; not_before: number } | null> {
  const { channel_id, events } = await readSection(context, channelNotifications)
  const chosen = channel_id !== null && events.includes(kind) && (await findChannel(context, channel_id))
  if (!chosen) return null
  const { channel, peer } = await requireDestination(context, { channel_id: chosen.id })
  const { quiet_hours } = await readSection(context, proactiveSettings)
  const { timezone } = await readSection(context, profile)
  return { channel, peer, not_before: quietUntil(quiet_hours, timezone, context.clock.now()) }
}
