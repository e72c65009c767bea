import { requireDefaultAgent } from '../../agents/agents.ts'
import { listAgents } from '../../agents/store.ts'
import { allMessages } from '../../chat/message-store.ts'
import type { Context } from '../../context.ts'
import { readSection } from '../../settings/section.ts'
import { recalledIn, saidIn, wordsIn } from '../capture/capture.ts'
import { episodeOf } from '../capture/exchange.ts'
import { patternsOf } from '../capture/patterns.ts'
import { isSaved, savedIn } from '../capture/saved.ts'
import { findTwin } from '../capture/twin.ts'
import { draftEpisode, type EpisodeDraft } from '../episodes.ts'
import { mentionStatements } from '../graph/mentions.ts'
import { embedPending } from '../retrieval/embed-pending.ts'
import { type MemorySettings, memorySettings } from '../settings.ts'
import { insertEpisode } from '../store.ts'
import { type Asked, exchangesOf } from './exchanges.ts'
import type { Progress } from './progress.ts'
import type { OrderOf } from './schema.ts'
import { keptMessages, type Spoken, spokenConversations } from './store.ts'

interface Run {
  context: Context
  settings: MemorySettings
  patterns: readonly string[]
  result: {
    episodes_created: number
    episodes_skipped: number
    embeddings_generated: number
    warning?: string
  }
}

/**
 * Makes episodes of the exchanges of conversations that have none yet, by the rules of the capture, and embeds every
 * episode that lacks an embedding.
 */
export async function generateEpisodes(
  context: Context,
  { agent_id }: OrderOf<'generate'>,
  progress: Progress,
): Promise<Record<string, unknown>> {
  const settings = await readSection(context, memorySettings)
  const result: Run['result'] = { episodes_created: 0, episodes_skipped: 0, embeddings_generated: 0 }
  const run = { context, settings, patterns: await patternsOf(context), result }
  const conversations = settings.enabled ? await conversationsFor(context, agent_id) : []
  if (!settings.enabled) result.warning = 'Memory is switched off in its settings, so nothing was kept'
  const step = (done: number) => ({ phase: 'conversations', done, total: conversations.length })
  await progress.commit(step(0))
  for (const [index, conversation] of conversations.entries()) {
    await keepConversation(run, conversation)
    await progress.commit(step(index + 1))
  }
  await embed(run, progress)
  return { ...result }
}

/** Those of agents that may remember; a conversation without an agent is one of the default agent. */
async function conversationsFor(context: Context, agent_id: string | undefined): Promise<Spoken[]> {
  const usual = await requireDefaultAgent(context)
  const agents = new Map((await listAgents(context)).map((agent) => [agent.id, agent]))
  const spoken = await spokenConversations(context)
  return spoken
    .map((conversation) => ({ ...conversation, agent_id: conversation.agent_id ?? usual.id }))
    .filter((conversation) => agent_id === undefined || conversation.agent_id === agent_id)
    .filter((conversation) => {
      const { enabled = true, capture = true } = agents.get(conversation.agent_id)?.memory ?? {}
      return enabled && capture
    })
}

async function keepConversation(run: Run, conversation: Spoken): Promise<void> {
  const { context, result } = run
  const exchanges = exchangesOf(await allMessages(context, conversation.id))
  const kept = await keptMessages(context, conversation.id)
  for (const exchange of exchanges) {
    context.signal.throwIfAborted()
    const draft = kept.has(exchange.asked.id) ? null : await draftOf(run, conversation, exchange)
    if (draft) {
      await context.commit(draft.statements, draft.events)
      result.episodes_created += 1
    } else result.episodes_skipped += 1
  }
}

/** The episode of an exchange, dated when it was said; null when it is not worth one or says what another does. */
async function draftOf(
  { context, settings, patterns }: Run,
  conversation: Spoken,
  { asked, answer, position }: Asked,
): Promise<EpisodeDraft | null> {
  const said = saidIn(asked, answer)
  if (isSaved(said, savedIn(answer.parts))) return null
  const input = episodeOf({
    said,
    reply: wordsIn(answer),
    recalled: await recalledIn(context, answer),
    conversation_id: conversation.id,
    message_id: asked.id,
    position,
    agent_id: conversation.agent_id,
    trust: conversation.tainted === 1 || conversation.kind === 'channel' ? 'external' : 'owner',
    channel: null,
    redaction: { secrets: settings.redact_secrets, patterns },
  })
  if (!input || (await findTwin(context, input, settings.dedupe_threshold))) return null
  const draft = draftEpisode(context, input)
  const episode = { ...draft.episode, created_at: asked.created_at, updated_at: asked.created_at }
  const reply = input.reply ?? ''
  const mentions = await mentionStatements(context, [{ ...episode, reply }])
  return { ...draft, episode, statements: [insertEpisode(episode, { reply, position }), ...mentions] }
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
  if (warning !== undefined)
    result.warning = failed > 0 ? `${warning} (${failed} episodes have no embedding)` : warning
}
