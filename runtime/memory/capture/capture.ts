import { findAgent } from '../../agents/index.ts'
import {
  countUserMessagesBefore,
  findConversation,
  findMessage,
  listMessages,
  type Message,
  type StoredConversation,
  type Turn,
} from '../../chat/index.ts'
import type { Context } from '../../context.ts'
import type { Statement } from '../../ports/sql.ts'
import { readSection } from '../../sections/section.ts'
import { iso } from '../../time.ts'
import type { WorkKind, WorkOutcome } from '../../work/kind.ts'
import { insertWork } from '../../work/store.ts'
import { draftEpisode } from '../episodes.ts'
import { type MemorySettings, memorySettings } from '../settings.ts'
import { countAccess, episodeOfMessage, episodesById, replaceReply, repliesOf } from '../store.ts'
import { captureKind, queueIndex } from '../work-store.ts'
import { findDuplicate } from './duplicate.ts'
import { episodeOf, isSaved, notesIn, saidIn, searchResultsIn, textIn } from './exchange.ts'
import { secretRedaction } from './notes.ts'
import { worthKeeping } from './rules.ts'

/**
 * Conversations with people. Those of schedules, loops and the daemon itself would fill the memory with
 * noise.
 */
const capturedKinds = new Set<string>(['user', 'channel'])

/**
 * The statement that queues the capture of an exchange, for the commit of its end; none if it is clearly not
 * worth keeping. Capture may need embeddings, so the reply does not wait for it.
 */
export async function queueCapture(turn: Pick<Turn, 'context' | 'conversation' | 'agent' | 'message'>) {
  const { context, conversation, agent, message } = turn
  if (!agent.memory.enabled || !agent.memory.capture || !capturedKinds.has(conversation.kind)) return []
  const question = await messageBefore(context, message)
  if (!question || !worthKeeping(saidIn(question, message), textIn(message))) return []
  const settings = await readSection(context, memorySettings)
  if (!settings.enabled || !settings.auto_capture) return []
  return [insertWork(context, { kind: captureKind, subject: message.id, payload: { agent_id: agent.id } }).statement]
}

/** The user message right before a reply; null if a note from the daemon is there. */
async function messageBefore(context: Pick<Context, 'sql'>, answer: Message): Promise<Message | null> {
  const [before] = await listMessages(context, answer.conversation_id, { before: answer.id, limit: 1 })
  return before?.role === 'user' ? before : null
}

/** Runs one at a time, so that the second of two equal exchanges is recognized as a duplicate. */
export const capture: WorkKind = {
  kind: captureKind,
  max_running: 1,
  timeout_seconds: 120,
  retry: { max_attempts: 3, delay_seconds: (attempt) => 30 * attempt },
  after_crash: 'retry',
  async run(work, context) {
    const answer = await findMessage(context, work.subject)
    const conversation = answer && (await findConversation(context, answer.conversation_id))
    const question = answer && (await messageBefore(context, answer))
    if (!answer || !conversation || !question) return skipped('the conversation has changed')
    const agent = await findAgent(context, String(work.payload.agent_id))
    const settings = await readSection(context, memorySettings)
    if (!settings.enabled || !settings.auto_capture) return skipped('capture is off')
    const position = await countUserMessagesBefore(context, conversation.id, question.id)
    return store(context, { question, answer, conversation, agent_id: agent?.id ?? null, position, settings })
  },
}

/** An exchange of a conversation with persons. */
export interface Captured {
  question: Message
  answer: Message
  conversation: Pick<StoredConversation, 'id' | 'tainted'>
  agent_id: string | null
  /** Number of earlier user messages. */
  position: number
  settings: MemorySettings
}

/** The episode of an exchange, or why there is none. */
export async function episodeIn(context: Context, captured: Captured) {
  const { question, answer, conversation, agent_id, position, settings } = captured
  const said = saidIn(question, answer)
  if (isSaved(said, notesIn(answer.parts))) return 'the agent saved it'
  const episode = episodeOf({
    said,
    reply: textIn(answer),
    recalled: await recalledIn(context, answer),
    conversation_id: conversation.id,
    message_id: question.id,
    position,
    agent_id,
    tainted: conversation.tainted,
    redaction: settings.redact_secrets ? await secretRedaction(context) : null,
  })
  return episode ?? 'nothing new'
}

async function store(context: Context, captured: Captured): Promise<WorkOutcome> {
  const { question, conversation, settings } = captured
  const episode = await episodeIn(context, captured)
  if (typeof episode === 'string') return skipped(episode)
  const earlier = await episodeOfMessage(context, conversation.id, question.id)
  if (earlier) return updateReply(context, earlier, episode.reply ?? '')
  const duplicate = await findDuplicate(context, episode, settings.dedupe_threshold)
  if (duplicate) return done([countAccess([duplicate])], { duplicate_of: duplicate })
  const { episode: stored, statements, events } = draftEpisode(context, episode)
  return { ...done(statements, { episode_id: stored.id }), events }
}

const done = (statements: Statement[], output: Record<string, unknown>): WorkOutcome => ({
  status: 'succeeded',
  statements,
  output,
})

const skipped = (reason: string): WorkOutcome => done([], { skipped: reason })

/** The reply was regenerated. */
function updateReply(context: Context, earlier: { id: string; reply: string }, reply: string): WorkOutcome {
  const statements =
    reply === earlier.reply ? [] : [replaceReply(earlier.id, reply, iso(context.clock.now())), queueIndex(context)]
  return done(statements, { episode_id: earlier.id })
}

/** Texts of memories that were in the prompt of a reply or in its search results. */
async function recalledIn(context: Context, { parts }: Message): Promise<string[]> {
  const ids = parts.flatMap((part) => (part.type === 'recall' ? part.episodes.map(({ id }) => id) : []))
  const episodes = ids.length === 0 ? [] : await episodesById(context, ids)
  const replies = await repliesOf(context, ids)
  return [...episodes.map(({ id, content }) => `${content}\n${replies.get(id) ?? ''}`), ...searchResultsIn(parts)]
}
