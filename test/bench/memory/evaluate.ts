import Database from 'libsql'
import { LocalSql } from '../../../adapters/libsql/local.ts'
import { createMemoryHost, type MemoryHost } from '../../../adapters/memory/host.ts'
import { areas } from '../../../handlers/index.ts'
import type { Context } from '../../../runtime/context.ts'
import { NewEpisode, type SearchMode } from '../../../runtime/memory/schema.ts'
import { embedPending } from '../../../runtime/memory/search/indexing.ts'
import { searchEpisodes } from '../../../runtime/memory/search/search.ts'
import type { Embedder } from '../../../runtime/ports/embedder.ts'
import { workContext } from '../../../runtime/work/run.ts'
import { addEpisodes } from '../../support/add-episodes.ts'
import type { Conversation } from './dataset.ts'
import { type Scores, scoresOf } from './metrics.ts'

export interface Memory {
  host: MemoryHost
  context: Context
  /** Id of the turn that an episode holds: `conversation/turn`. */
  turns: Map<string, string>
}

/** A memory in which every turn of the conversations is an episode, embedded. Each conversation is an agent's. */
export async function remember(conversations: readonly Conversation[], embedder?: Embedder): Promise<Memory> {
  const sql = new LocalSql(new Database(':memory:'), async () => ({ bytes: 0, wal_bytes: 0 }))
  const host = await createMemoryHost(areas, { sql, ...(embedder ? { embedder } : {}) })
  const context = workContext(host, { id: 'bench' }, new AbortController().signal)
  const turns = new Map<string, string>()
  for (const conversation of conversations) {
    for (const [id, turn] of await store(context, conversation)) turns.set(id, turn)
  }
  await embedPending(context)
  return { host, context, turns }
}

async function store(context: Context, { id, sessions }: Conversation): Promise<[string, string][]> {
  const turns = sessions.flatMap((session) => session.turns.map((turn, position) => ({ session, turn, position })))
  const ids = await addEpisodes(
    context,
    turns.map(({ session, turn, position }) => ({
      ...NewEpisode.parse({
        content: turn.speaker ? `${turn.speaker}: ${turn.text}` : turn.text,
        agent_id: id,
      }),
      source: 'conversation',
      position,
      provenance: { conversation_id: `${id}/${session.id}`, message_id: null, channel: null, url: null },
      ...(session.date ? { created_at: new Date(session.date).toISOString() } : {}),
    })),
  )
  return ids.map((episode, index) => [episode, `${id}/${turns[index]?.turn.id}`])
}

export interface Asked extends Scores {
  question: string
  category: string | undefined
}

/** Every question that has evidence, looked for in its own conversation or everywhere. */
export async function ask(
  { host, turns }: Memory,
  conversations: readonly Conversation[],
  { mode, scope }: { mode: SearchMode; scope: 'conversation' | 'all' },
): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const { id, questions } of conversations) {
    for (const { question, evidence, category, scope: only } of questions) {
      if (evidence.length === 0 || (only && only !== scope)) continue
      const filter = scope === 'conversation' ? { agent_id: id } : {}
      const found = await searchEpisodes(host, { q: question, mode, filter, limit: 20, offset: 0 })
      const ranked = found.results.map(({ episode }) => turns.get(episode.id) ?? '')
      const relevant = new Set(evidence.map((turn) => `${id}/${turn}`))
      asked.push({ question, category, ...scoresOf(ranked, relevant) })
    }
  }
  return asked
}
