import { profile } from '../auth/profile.ts'
import { textOf } from '../chat/answer.ts'
import { findApproval, publicApproval } from '../chat/approval-store.ts'
import { findMessage, listMessages } from '../chat/message-store.ts'
import type { FilePart, Message } from '../chat/schema.ts'
import type { Context } from '../context.ts'
import type { StoredEvent } from '../events/commit.ts'
import type { Consumed } from '../events/consumer.ts'
import type { EventInput, EventMap } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { readSection } from '../sections/section.ts'
import { proactiveSettings, quietUntil } from '../settings/proactive.ts'
import { workContext } from '../work/run.ts'
import { channelOwners, findChannel, type StoredChannel } from './channel-store.ts'
import { pairingButtons } from './commands.ts'
import { platformOf } from './connection.ts'
import { inboundOfAnswer } from './message-store.ts'
import { ownersOn } from './pairing-store.ts'
import type { Button, Peer, Platform } from './platform.ts'
import { questionOf } from './question.ts'
import { channelMessage, queueMessage } from './send.ts'
import { type Session, sessionOf } from './session-store.ts'
import { channelNotifications, type Notification, publicUrl } from './settings.ts'
import type { announcedTypes } from './sources.ts'

type Type = (typeof announcedTypes)[number]

/** The messages and turns that events cause, for the commit that advances the outbox cursor. */
export async function announceAll(events: readonly StoredEvent[], host: Host): Promise<Consumed> {
  const consumed: Required<Consumed> = { statements: [], events: [], announce: () => host.process.wake() }
  for (const one of events) {
    const { statements = [], events: caused = [] } = await announce(host, one)
    consumed.statements.push(...statements)
    consumed.events.push(...caused)
  }
  return consumed
}

interface Announced {
  statements?: Statement[]
  events?: EventInput[]
}

const nothing: Announced = {}

const announcers: { [Name in Type]: (context: Context, data: EventMap[Name]) => Promise<Announced> } = {
  'message.sent': (context, { conversation_id, message_id }) =>
    deliverAnswer(context, conversation_id, message_id),
  'agent.run.failed': (context, { conversation_id, message_id }) =>
    deliverAnswer(context, conversation_id, message_id),
  'approval.requested': askForApproval,
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
  'channel.pairing.requested': async (context, { channel_id, pairing_id, sender_id, sender_name, code }) => {
    const channel = await findChannel(context, channel_id)
    const where = channel ? ` on ${channel.name}` : ''
    const who = sender_name === null ? shown(sender_id) : `${shown(sender_name)} (${shown(sender_id)})`
    return notify(context, 'pairing', {
      markdown: `**${who} wants to write to me${where}.** Their code is ${code}. Reply \`pair ${code}\` or \`deny ${code}\`.`,
      buttons: pairingButtons(pairing_id),
    })
  },
}

/** A name on one line without formatting, because strangers choose their names and the owner reads this text. */
const shown = (name: string): string => name.replace(/[^\p{L}\p{N}\p{M} .,@+:/_-]/gu, ' ').slice(0, 80)

/** An event without an owner goes to everyone who has a channel. */
async function announce(
  host: Host,
  { seq, type, data, owner_id, chain_depth }: StoredEvent,
): Promise<Announced> {
  const run = announcers[type as Type] as (context: Context, data: unknown) => Promise<Announced>
  const owners = owner_id === null ? await channelOwners(host) : [owner_id]
  const all: Required<Announced> = { statements: [], events: [] }
  for (const owner of owners) {
    const context = workContext(
      host,
      { id: `event_${seq}`, owner_id: owner, chain_depth },
      host.process.stopping,
    )
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
  const place = await destinationOf(context, conversation, id)
  const answer = place && (await findMessage(context, id))
  if (!answer) return nothing
  const { channel, peer, received, session } = place
  // The message was written in the web UI, so the answer is read there.
  if (!received && (await askedOf(context, answer))) return nothing
  const markdown = textFor(answer, session?.is_owner ?? false)
  const files = session?.is_owner ? filesIn(answer) : []
  if (markdown === '' && files.length === 0) return nothing
  const sealed_reply = received?.sealed_reply ?? null
  return queueMessage(context, channel, { peer, markdown, files, sealed_reply })
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
  const shown = parts.filter((part): part is FilePart => part.type === 'file').map(({ file_id }) => file_id)
  const linked = [...textOf(parts).matchAll(/\/api\/files\/(file_[0-9a-z]{26})\/content/g)].map(
    ([, id = '']) => id,
  )
  return [...new Set([...shown, ...linked])].slice(0, 10)
}

/** Asks the paired owner: in the chat where they talk to the agent, else in their chat on the channel, else by notification. */
async function askForApproval(
  context: Context,
  { approval_id, conversation_id }: EventMap['approval.requested'],
): Promise<Announced> {
  const approval = await findApproval(context, approval_id)
  if (approval?.status !== 'pending') return nothing
  const page = await publicUrl(context, '/approvals')
  const question = (platform: Platform) => questionOf(publicApproval(approval), platform, page)
  const session = await sessionOf(context, conversation_id)
  const place = session && (await ownersChat(context, session))
  if (place) {
    const asked = question(await platformOf(context, place.channel.platform))
    return queueMessage(context, place.channel, { peer: place.peer, ...asked, approval_id })
  }
  return notify(context, 'approval', { question, approval_id })
}

/** The chat in which the owner of a channel is asked about a session. */
async function ownersChat(
  context: Context,
  session: Session,
): Promise<{ channel: StoredChannel; peer: Peer } | null> {
  const channel = await findChannel(context, session.channel_id)
  const [owner] = channel ? await ownersOn(context, channel.id) : []
  if (!channel?.enabled || !owner) return null
  return { channel, peer: session.is_owner ? session.peer : owner.peer }
}

interface Note {
  markdown: string
  buttons?: Button[]
}

/** Queues a notification on the owner's chosen channel, delayed until after their quiet hours. */
async function notify(
  context: Context,
  kind: Notification,
  note: Note | { question: (platform: Platform) => Note; approval_id: string },
): Promise<Announced> {
  const { channel_id, events } = await readSection(context, channelNotifications)
  const channel = channel_id !== null && events.includes(kind) && (await findChannel(context, channel_id))
  if (!channel) return nothing
  const platform = await platformOf(context, channel.platform)
  const { quiet_hours } = await readSection(context, proactiveSettings)
  const { timezone } = await readSection(context, profile)
  const { markdown, buttons = [] } = 'question' in note ? note.question(platform) : note
  return channelMessage(context, {
    ...{ channel_id: channel.id, markdown },
    buttons: platform.has.buttons ? buttons : [],
    not_before: quietUntil(quiet_hours, timezone, context.clock.now()),
    ...('question' in note && { approval_id: note.approval_id }),
  })
}
