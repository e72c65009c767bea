import { listAgents, requireDefaultAgent } from '../../agents/index.ts'
import { ownerOf } from '../../auth/owner.ts'
import { allMessages, conversationsWithPersons } from '../../chat/index.ts'
import type { Context } from '../../context.ts'
import { readSection } from '../../sections/section.ts'
import { episodeIn } from '../capture/capture.ts'
import { findDuplicate } from '../capture/duplicate.ts'
import { type AnsweredMessage, exchangesOf } from '../capture/exchange.ts'
import { draftEpisode, type EpisodeDraft } from '../episodes.ts'
import { mentionStatements } from '../graph/mentions.ts'
import type { OrderOf } from '../schema.ts'
import { embedPending } from '../search/indexing.ts'
import { type MemorySettings, memorySettings } from '../settings.ts'
import { capturedMessages, insertEpisode } from '../store.ts'
import type { Progress } from './jobs.ts'

interface Run {
  context: Context
  settings: MemorySettings
  result: {
    episodes_created: number
    episodes_skipped: number
    embeddings_generated: number
    warning?: string
  }
}

/** A conversation with people, and the agent that it belongs to. */
interface Source {
  id: string
  agent_id: string
  kind: string
  tainted: boolean
}

/**
 * Creates episodes from exchanges without one, by the rules of capture, and embeds every episode without a
 * vector.
 */
export async function generateEpisodes(
  context: Context,
  { agent_id }: OrderOf<'generate'>,
  progress: Progress,
): Promise<Record<string, unknown>> {
  const settings = await readSection(context, memorySettings)
  const result: Run['result'] = { episodes_created: 0, episodes_skipped: 0, embeddings_generated: 0 }
  const run = { context, settings, result }
  const conversations = settings.enabled ? await sourcesFor(context, agent_id) : []
  if (!settings.enabled) result.warning = 'Memory is switched off in its settings, so nothing was stored'
  const step = (done: number) => ({ phase: 'conversations', done, total: conversations.length })
  await progress.commit(step(0))
  for (const [index, conversation] of conversations.entries()) {
    await captureConversation(run, conversation)
    await progress.commit(step(index + 1))
  }
  await embed(run, progress)
  return { ...result }
}

/** The conversations of agents with memory. One without an agent belongs to the default agent. */
async function sourcesFor(context: Context, agent_id: string | undefined): Promise<Source[]> {
  const defaultAgent = await requireDefaultAgent(context)
  const agents = new Map((await listAgents(context)).map((agent) => [agent.id, agent]))
  return (await conversationsWithPersons(context))
    .map((conversation) => ({ ...conversation, agent_id: conversation.agent_id ?? defaultAgent.id }))
    .filter((conversation) => agent_id === undefined || conversation.agent_id === agent_id)
    .filter((conversation) => {
      const { enabled = true, capture = true } = agents.get(conversation.agent_id)?.memory ?? {}
      return enabled && capture
    })
}

async function captureConversation(run: Run, conversation: Source): Promise<void> {
  const { context, result } = run
  const exchanges = exchangesOf(await allMessages(context, conversation.id))
  const captured = await capturedMessages(context, conversation.id)
  for (const exchange of exchanges) {
    context.signal.throwIfAborted()
    const draft = captured.has(exchange.question.id) ? null : await draftOf(run, conversation, exchange)
    if (draft) {
      await context.commit(draft.statements, draft.events)
      result.episodes_created += 1
    } else result.episodes_skipped += 1
  }
}

/** The episode of an exchange, dated when it was said; null if it is not worth keeping or a duplicate. */
async function draftOf(
  { context, settings }: Run,
  conversation: Source,
  exchange: AnsweredMessage,
): Promise<EpisodeDraft | null> {
  const { question, position } = exchange
  const { agent_id } = conversation
  const input = await episodeIn(context, { ...exchange, conversation, agent_id, settings })
  if (typeof input === 'string') return null
  if (await findDuplicate(context, input, settings.dedupe_threshold)) return null
  const draft = draftEpisode(context, input)
  const episode = { ...draft.episode, created_at: question.created_at, updated_at: question.created_at }
  const reply = input.reply ?? ''
  const mentions = await mentionStatements(context, [{ ...episode, reply }])
  // Without the index run that a draft queues: this job embeds the episodes at its end.
  return {
    ...draft,
    episode,
    statements: [insertEpisode(ownerOf(context), { ...episode, reply, position }), ...mentions],
  }
}

async function embed({ context, result }: Run, progress: Progress): Promise<void> {
  let step = { phase: 'embeddings', done: 0, total: 0 }
  await progress.commit(step)
  const { embedded, failed, warning } = await embedPending(context, {
    onProgress: (now) => {
      step = { phase: 'embeddings', ...now }
    },
    afterBatch: () => progress.commit(step),
  })
  result.embeddings_generated = embedded
  if (warning !== undefined) result.warning = failed > 0 ? `${warning} (${failed} episodes have no embedding)` : warning
}
