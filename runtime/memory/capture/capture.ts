import { findAgent } from '../../agents/store.ts'
import { findConversation, type StoredConversation } from '../../chat/conversation-store.ts'
import { findMessage, listMessages } from '../../chat/message-store.ts'
import type { Message } from '../../chat/schema.ts'
import type { Turn } from '../../chat/turn/state.ts'
import type { Context } from '../../context.ts'
import type { Statement } from '../../ports/sql.ts'
import { readSection } from '../../settings/section.ts'
import { iso } from '../../time.ts'
import type { WorkKind, WorkOutcome } from '../../work/kind.ts'
import { insertWork } from '../../work/store.ts'
import { draftEpisode } from '../episodes.ts'
import { repliesOf } from '../recall/store.ts'
import { queueIndex } from '../retrieval/index-queue.ts'
import { type MemorySettings, memorySettings } from '../settings.ts'
import { countAccess, episodesById } from '../store.ts'
import { episodeOf } from './exchange.ts'
import { captureKind } from './kind.ts'
import { patternsOf } from './patterns.ts'
import { foundIn, isSaved, savedIn } from './saved.ts'
import { episodeOfMessage, positionOf, replaceReply } from './store.ts'
import { findTwin } from './twin.ts'
import { worthKeeping } from './worth.ts'

/** Conversations in which persons speak. Schedules, loops and the daemon itself would only fill the memory with noise. */
const spoken = new Set<string>(['user', 'channel'])

/**
 * The statement that has this exchange looked at later, for the commit of its end; none when it is plainly not worth
 * keeping. Looking takes time, for it may need vectors, and the answer does not wait for it.
 */
export async function captureLater(turn: Pick<Turn, 'context' | 'conversation' | 'agent' | 'message'>) {
  const { context, conversation, agent, message } = turn
  if (!agent.memory.enabled || !agent.memory.capture || !spoken.has(conversation.kind)) return []
  const asked = await askedFor(context, message)
  if (!asked || !worthKeeping(saidIn(asked, message), wordsIn(message))) return []
  const settings = await readSection(context, memorySettings)
  if (!settings.enabled || !settings.auto_capture) return []
  return [
    insertWork(context, { kind: captureKind, subject: message.id, payload: { agent_id: agent.id } })
      .statement,
  ]
}

/** The message of a person that stands right before an answer; a note of the daemon there means that nobody asked. */
async function askedFor(context: Pick<Context, 'sql'>, answer: Message): Promise<Message | null> {
  const [before] = await listMessages(context, answer.conversation_id, { before: answer.id, limit: 1 })
  return before?.role === 'user' ? before : null
}

/** What the person said, with what they added while the answer was made. */
export const saidIn = (asked: Message, answer: Message): string =>
  [asked.content, ...answer.parts.map((part) => (part.type === 'steer' ? part.text : ''))]
    .filter((text) => text !== '')
    .join('\n')

export const wordsIn = ({ parts }: Message): string =>
  parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n\n')
    .trim()

/** One after the other, so that of two equal exchanges the second is seen to be the first again. */
export const capture: WorkKind = {
  kind: captureKind,
  max_running: 1,
  timeout_seconds: 120,
  retry: { max_attempts: 3, delay_seconds: (attempt) => 30 * attempt },
  after_crash: 'retry',
  async run(work, context) {
    const answer = await findMessage(context, work.subject)
    const conversation = answer && (await findConversation(context, answer.conversation_id))
    const asked = answer && (await askedFor(context, answer))
    if (!answer || !conversation || !asked) return skipped('the conversation has changed')
    const agent = await findAgent(context, String(work.payload.agent_id))
    const settings = await readSection(context, memorySettings)
    if (!settings.enabled || !settings.auto_capture) return skipped('capture was switched off')
    return keep(context, { asked, answer, conversation, agent_id: agent?.id ?? null, settings })
  },
}

interface Found {
  asked: Message
  answer: Message
  conversation: StoredConversation
  agent_id: string | null
  settings: MemorySettings
}

async function keep(context: Context, found: Found): Promise<WorkOutcome> {
  const { asked, answer, conversation, settings } = found
  const said = saidIn(asked, answer)
  if (isSaved(said, savedIn(answer.parts))) return skipped('the agent has kept it')
  const episode = episodeOf({
    said,
    reply: wordsIn(answer),
    recalled: await recalledIn(context, answer),
    conversation_id: conversation.id,
    message_id: asked.id,
    position: await positionOf(context, conversation.id, asked.id),
    agent_id: found.agent_id,
    trust: conversation.tainted || conversation.kind === 'channel' ? 'external' : 'owner',
    channel: null,
    redaction: { secrets: settings.redact_secrets, patterns: await patternsOf(context) },
  })
  if (!episode) return skipped('it says nothing new')
  const earlier = await episodeOfMessage(context, conversation.id, asked.id)
  if (earlier) return answeredAnew(context, earlier, episode.reply ?? '')
  const twin = await findTwin(context, episode, settings.dedupe_threshold)
  if (twin) return done([countAccess([twin])], { duplicate_of: twin })
  const { episode: stored, statements, events } = draftEpisode(context, episode)
  return { ...done(statements, { episode_id: stored.id }), events }
}

const done = (statements: Statement[], output: Record<string, unknown>): WorkOutcome => ({
  status: 'succeeded',
  statements,
  output,
})

const skipped = (why: string): WorkOutcome => done([], { skipped: why })

function answeredAnew(context: Context, earlier: { id: string; reply: string }, reply: string): WorkOutcome {
  const statements =
    reply === earlier.reply
      ? []
      : [replaceReply(earlier.id, reply, iso(context.clock.now())), queueIndex(context)]
  return done(statements, { episode_id: earlier.id })
}

/** Texts that stood in the prompt or came out of a search in memory. */
export async function recalledIn(context: Context, { parts }: Message): Promise<string[]> {
  const ids = parts.flatMap((part) => (part.type === 'recall' ? part.episodes.map(({ id }) => id) : []))
  const episodes = ids.length === 0 ? [] : await episodesById(context, ids)
  const replies = ids.length === 0 ? new Map<string, string>() : await repliesOf(context, ids)
  return [...episodes.map(({ id, content }) => `${content}\n${replies.get(id) ?? ''}`), ...foundIn(parts)]
}
