import { findAgent } from '../agents/index.ts'
import {
  createdEvent,
  draft,
  type FilePart,
  findMessage,
  forgetArmed,
  guardPresent,
  insertConversation,
  insertMessage,
  listMessages,
  newTurn,
  passMessage,
  type StoredConversation,
  taintConversation,
  withFiles,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { decideInConversation } from '../dispatcher/index.ts'
import { event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { Statement } from '../ports/sql.ts'
import { prompt } from '../prompts/prompt.ts'
import { day, hour, iso } from '../time.ts'
import type { WorkEnding, WorkKind, WorkOutcome } from '../work/kind.ts'
import { findChannel, type StoredChannel } from './channel-store.ts'
import { alreadyAnswered, command } from './commands.ts'
import { platformOf } from './connection.ts'
import { contentOf, quoted, requestIn } from './content.ts'
import { type Accepted, bindingFor, conversationFor, isPrivate } from './conversation.ts'
import { downloadFile } from './download.ts'
import { inboundKind } from './kinds.ts'
import { logEntry } from './log-store.ts'
import {
  countInbound,
  endHeard,
  endInbound,
  findInbound,
  findReceived,
  findSent,
  forgetText,
  heardBefore,
  limitInbound,
  outboundOfTurn,
  type StoredInbound,
} from './message-store.ts'
import { chosenOption } from './options.ts'
import { offerPairing } from './pairing.ts'
import { findPairing } from './pairing-store.ts'
import { judge } from './policy.ts'
import { showProgress } from './progress.ts'
import { queueEdit, queueReply } from './send.ts'
import { saveSession } from './session-store.ts'
import { withSpeech } from './speech.ts'

/** With the waits between them, two minutes. */
const maxAttempts = 8
/** Maximum files downloaded per message. */
const maxFiles = 20
/** Characters of a message's text in its event. */
const maxEventText = 4_000

/** Processes one stored message: checks the policy, picks the agent and conversation, and queues the turn in the commit that ends the work. */
export const inbound: WorkKind = {
  kind: inboundKind,
  max_running: 20,
  ordered: true,
  after_crash: 'retry',
  // The later messages of the chat wait for it.
  retry: { max_attempts: maxAttempts, delay_seconds: (attempt) => Math.min(2 ** attempt, 30) },
  async run({ subject, attempt }, context) {
    const received = await findInbound(context, subject)
    const channel = received && (await findChannel(context, received.channel_id))
    if (!channel || received.status !== 'pending') return { status: 'succeeded' }
    try {
      const quoting = await withQuoted(context, received)
      return await processMessage(context, channel, { received: quoting, retries: attempt < maxAttempts })
    } catch (thrown) {
      // A person must fix something first, such as a deleted agent.
      if (thrown instanceof Fault) return refused(context, channel, received, thrown.message)
      throw thrown
    }
  },
  async ended({ subject }, _, context) {
    const received = await findInbound(context, subject)
    const channel = received && (await findChannel(context, received.channel_id))
    if (!channel || received.status !== 'pending') return {}
    return refused(context, channel, received, 'A message could not be processed; see the log of the daemon')
  },
}

function refused(
  context: Context,
  { id: channel_id, platform }: StoredChannel,
  received: StoredInbound,
  error: string,
): WorkOutcome {
  const logged = logEntry(context, channel_id, { direction: 'inbound', outcome: 'error', detail: error })
  return {
    status: 'succeeded',
    statements: [endInbound(received.id), ...logged],
    events: [event('channel.error', { channel_id, platform, error })],
  }
}

/** `retries`: what fails now is attempted again. */
async function processMessage(
  context: Context,
  channel: StoredChannel,
  { received, retries }: { received: StoredInbound; retries: boolean },
): Promise<WorkOutcome> {
  const { message } = received
  const pairing = await findPairing(context, channel.id, message.sender.id)
  const binding = await bindingFor(context, channel, received)
  const is_bound = binding?.match.peer_id === message.peer.id
  const verdict = judge({ settings: channel.settings, message, pairing, is_bound })
  if (verdict.do === 'ignore') return ended(received, ignored(context, channel, received, verdict.reason))
  if (verdict.do === 'pair') return ended(received, await offerPairing(context, channel, received))
  const { from_owner } = verdict
  const limited = verdict.is_stranger && (await limitStranger(context, channel, received))
  if (limited) return limited
  const accepted = { channel, received, binding, from_owner }
  const reacted = await command(context, accepted)
  if (reacted) return ended(received, reacted)
  if (message.kind === 'edit' && (await wasEditedInTime(context, received)))
    return ended(received, ignored(context, channel, received, 'the agent has already read the edited text'))
  return startTurn(context, accepted, retries)
}

/** Ends a message beyond the sender's hourly limit, before anything is spent on it. The first one is answered with the limit. */
async function limitStranger(
  context: Context,
  channel: StoredChannel,
  received: StoredInbound,
): Promise<WorkOutcome | null> {
  const { messages_per_hour: limit } = channel.settings
  const { sender } = received.message
  const since = iso(context.clock.now() - hour)
  const { done, limited } = await countInbound(context, channel.id, sender.id, since)
  if (done < limit) return null
  const times = limit === 1 ? 'one message' : `${limit} messages`
  const markdown = `I answer at most ${times} an hour from each person. Please write again later.`
  const reply = limited === 0 ? await queueReply(context, channel, received, markdown) : []
  const { statements = [] } = ignored(context, channel, received, `more than ${times} an hour`)
  return {
    status: 'succeeded',
    statements: [limitInbound(received.id), forgetText(received.id), ...reply, ...statements],
  }
}

function ended({ id }: StoredInbound, ending: WorkEnding): WorkOutcome {
  return {
    status: 'succeeded',
    statements: [endInbound(id), forgetText(id), ...(ending.statements ?? [])],
    events: ending.events ?? [],
  }
}

function ignored(
  context: Context,
  channel: StoredChannel,
  { message: { sender } }: StoredInbound,
  reason: string,
): WorkEnding {
  const detail = `Message from ${sender.name ?? sender.id}: ${reason}`
  return { statements: logEntry(context, channel.id, { direction: 'inbound', outcome: 'ignored', detail }) }
}

/** Whether the edit arrived before the original was processed, so that the agent has read the edited text. */
async function wasEditedInTime(context: Context, { channel_id, message }: StoredInbound): Promise<boolean> {
  const original = message.edits === null ? null : await findReceived(context, channel_id, message.edits)
  return original?.message.text === message.text
}

/** Some platforms name the message that another one answers without its text; it is here if the bot sent or received it. */
async function withQuoted(context: Context, received: StoredInbound): Promise<StoredInbound> {
  const { channel_id, message } = received
  const { about, kind, quotes, sender } = message
  if (about === null || kind === 'button' || quotes.some((quote) => quote.kind === 'reply')) return received
  const sent = await findSent(context, channel_id, about)
  const other = sent ? null : (await findReceived(context, channel_id, about))?.message
  const text = sent?.markdown ?? other?.text ?? ''
  const quote = {
    kind: 'reply' as const,
    from: other?.sender.name ?? null,
    text,
    is_own: other?.sender.id === sender.id,
  }
  return { ...received, message: { ...message, quotes: [quote, ...quotes] } }
}

/** Each message of a thread answers the first one, which the thread's conversation has from its beginning. */
function withoutRoot(received: StoredInbound): StoredInbound {
  const { message } = received
  const { about, peer, quotes } = message
  if (peer.thread_id === null || about !== `${peer.id}:${peer.thread_id}`) return received
  return { ...received, message: { ...message, quotes: quotes.filter(({ kind }) => kind !== 'reply') } }
}

async function startTurn(context: Context, spoken: Accepted, retries: boolean): Promise<WorkOutcome> {
  const written = await withSpeech(context, spoken, retries)
  if ('refused' in written) return ended(spoken.received, written.refused)
  const { conversation, isNew, key } = await conversationFor(context, spoken)
  const accepted = { ...spoken, received: isNew ? written.received : withoutRoot(written.received) }
  const { channel, received, from_owner } = accepted
  const { message } = received
  const { id: channel_id, platform } = channel
  const { sender, peer } = message
  const choice = isNew ? null : await choose(context, accepted, conversation.id)
  if (choice && 'outdated' in choice) return ended(received, choice.outdated)
  const origin = {
    channel_id,
    platform,
    peer_kind: peer.kind,
    peer_id: peer.id,
    sender_id: sender.id,
    sender_name: sender.name,
    from_owner,
  }
  // Hooks see the original text, without the untrusted marks.
  const passed = await passMessage(context, choice?.option ?? requestIn(message), {
    conversation_id: isNew ? null : conversation.id,
    ...origin,
  })
  if (!passed.ok) return ended(received, await hookRefused(context, accepted, passed.reason))
  const files: (FilePart | string)[] = []
  // One at a time, because each file is held in memory while it is downloaded.
  for (const file of message.files.slice(0, maxFiles))
    files.push(await downloadFile(context, channel, { file, retries }))
  const parts = files.filter((file) => typeof file !== 'string')
  const lost = files.filter((file) => typeof file === 'string')
  const heard = peer.kind === 'dm' ? [] : await heardBefore(context, received, iso(context.clock.now() - day))
  const content = contentOf(accepted, { text: passed.message, lost, heard })
  const is_owner = isPrivate(accepted)
  const dispatched = is_owner ? await dispatch(context, received, conversation) : null
  const note = dispatched?.note && draft(context, conversation.id, { role: 'system', content: dispatched.note })
  const question = draft(context, conversation.id, { role: 'user', content, ...withFiles(content, parts) })
  const turn = newTurn(context, conversation.id, { queued: true, about: await aboutGroup(context, accepted) })
  const now = context.clock.now()
  const data = { conversation_id: conversation.id, message_id: turn.answer.id }
  const session = { channel_id, key, conversation_id: conversation.id, peer }
  return {
    status: 'succeeded',
    statements: [
      endInbound(received.id, turn.answer.id),
      isNew ? insertConversation(conversation) : guardPresent(conversation.id),
      // Text from others, and every file, is data and not an instruction.
      ...(!from_owner ||
      parts.length > 0 ||
      heard.length > 0 ||
      (await quotesOthers(context, accepted, conversation.id))
        ? [taintConversation(conversation.id)]
        : []),
      ...heard.flatMap(({ id }) => endHeard(id)),
      ...(choice?.statements ?? []),
      ...(note ? [insertMessage(note)] : []),
      insertMessage(question),
      ...(dispatched?.statements ?? []),
      forgetArmed(conversation.id),
      ...turn.statements,
      saveSession({ ...session, is_owner, updated_at: iso(now) }),
      ...logEntry(context, channel_id, {
        direction: 'inbound',
        outcome: 'ok',
        detail: `Message from ${sender.name ?? sender.id}`,
      }),
      showProgress(context, turn.answer.id, { channel_id, peer, sealed_reply: received.sealed_reply }),
    ],
    events: [
      ...(isNew ? [createdEvent(conversation)] : []),
      ...(dispatched?.events ?? []),
      event('channel.message.received', {
        ...origin,
        message_id: received.id,
        conversation_id: conversation.id,
        text: message.text.slice(0, maxEventText),
      }),
      event('message.received', { conversation_id: conversation.id, message_id: question.id }),
      event('agent.run.started', data),
    ],
  }
}

/** Who writes where, for a message in a group; empty for a direct message. */
async function aboutGroup(context: Context, { channel, received, from_owner }: Accepted): Promise<string> {
  const { peer, sender } = received.message
  if (peer.kind === 'dm') return ''
  const name = quoted(sender.name ?? sender.id)
  return prompt('group', {
    sender: from_owner ? `The person you work for, ${name},` : name,
    group: quoted(peer.name ?? peer.id),
    platform: (await platformOf(context, channel.platform)).title,
  })
}

/** The option of the agent's last question that a message chooses, without the buttons of that question; null if there is none. */
async function choose(
  context: Context,
  { channel, received }: Accepted,
  conversation: string,
): Promise<{ option: string; statements: Statement[] } | { outdated: WorkEnding } | null> {
  const [last = null] = await listMessages(context, conversation, { limit: 1 })
  const option = chosenOption(received.message, last)
  if (option === 'outdated')
    return { outdated: { statements: await queueReply(context, channel, received, alreadyAnswered) } }
  if (option === null || !last) return null
  const asked = (await outboundOfTurn(context, last.id)).find(({ buttons }) => buttons.length > 0)
  if (!asked) return { option, statements: [] }
  const change = { markdown: `${asked.markdown}\n\n☑ ${option}`, buttons: [] }
  return { option, statements: await queueEdit(context, channel, asked, change) }
}

/** Whether a message has text of others that the conversation does not contain yet. */
async function quotesOthers(
  context: Context,
  { channel, received: { message } }: Accepted,
  conversation: string,
): Promise<boolean> {
  const quotes = message.quotes.filter(({ is_own, text }) => !is_own && text !== '')
  if (quotes.length === 0 || message.about === null) return quotes.length > 0
  const sent = await findSent(context, channel.id, message.about)
  const answer = sent?.turn ? await findMessage(context, sent.turn) : null
  return quotes.some(({ kind }) => kind !== 'reply') || answer?.conversation_id !== conversation
}

/** Notifies the owner, and no guest, that a hook refused their message. */
async function hookRefused(
  context: Context,
  { channel, received, from_owner }: Accepted,
  markdown: string,
): Promise<WorkEnding> {
  const { statements = [] } = ignored(context, channel, received, markdown)
  if (!from_owner) return { statements }
  return { statements: [...statements, ...(await queueReply(context, channel, received, markdown))] }
}

/** The dispatcher's decision about the owner's message; null for edits, and for files without a text. */
async function dispatch(context: Context, { message }: StoredInbound, { id, agent_id }: StoredConversation) {
  const agent = agent_id === null ? null : await findAgent(context, agent_id)
  if (!agent || message.kind !== 'message' || message.text.trim() === '') return null
  return decideInConversation(context, {
    text: message.text,
    source: 'channel',
    conversation_id: id,
    agent,
  })
}
