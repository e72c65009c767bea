import type { EventInput } from '../../events/event.ts'
import type { Host } from '../../host.ts'
import type { Statement, Value } from '../../ports/sql.ts'
import type { Reading } from '../graph/facts.ts'
import { type GraphState, graphOf } from '../graph/generations.ts'
import type { FactText as ReadText } from '../graph/write-reading.ts'

/** What of an episode is read, and what may be added to it. */
export interface FactText extends ReadText {
  summary: string | null
  /** JSON. */
  topics: string
  agent_id: string | null
  source: string
}

type Sql = Pick<Host, 'sql'>

interface ToRead {
  reading: 'mentions' | 'facts'
  agent_id?: string | undefined
  /** Also what was read as it stands. */
  all?: boolean
  /** A reading by rules does not count where a model is to read. */
  by_model?: boolean
  state?: GraphState
  limit?: number | undefined
}

/** Ids of the episodes that were not read since they were last changed, newest first. */
export async function episodesToRead({ sql }: Sql, wanted: ToRead): Promise<string[]> {
  const { reading, agent_id, all = false, by_model = false, state = 'live', limit = -1 } = wanted
  const conditions = [
    ...(agent_id === undefined ? [] : ['episodes.agent_id = ?']),
    ...(all
      ? []
      : ['(mark.episode_id IS NULL OR mark.updated_at <> episodes.updated_at OR (? AND mark.method <> ?))']),
  ]
  const args: Value[] = [
    state,
    reading,
    ...(agent_id === undefined ? [] : [agent_id]),
    ...(all ? [] : [Number(by_model), 'model']),
    limit,
  ]
  const rows = await sql.read<{ id: string }>(
    `SELECT episodes.id FROM episodes LEFT JOIN extractions AS mark
      ON mark.graph = ${graphOf} AND mark.episode_id = episodes.id AND mark.reading = ?
    ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    ORDER BY episodes.created_at DESC, episodes.rowid DESC LIMIT ?`,
    args,
  )
  return rows.map(({ id }) => id)
}

/** Texts to be read for facts, oldest first. */
export function factTexts({ sql }: Sql, ids: readonly string[]): Promise<FactText[]> {
  return sql.read<FactText>(
    `SELECT id, content, reply, updated_at, trust, created_at, summary, topics, agent_id, source FROM episodes
    WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created_at, rowid`,
    [JSON.stringify(ids)],
  )
}

/** Gives an episode the summary and the topics that it lacks; what a person wrote stays. */
export function describeEpisode(
  episode: FactText,
  { summary, topics }: Reading,
): { statement: Statement; event: EventInput }[] {
  const lacks =
    (episode.summary === null && summary !== null) || (episode.topics === '[]' && topics.length > 0)
  if (!lacks) return []
  const sql = `UPDATE episodes SET summary = coalesce(summary, ?), topics = iif(topics = '[]', ?, topics) WHERE id = ?`
  const { id: episode_id, agent_id, source } = episode
  return [
    {
      statement: { sql, args: [summary, JSON.stringify(topics), episode_id] },
      event: { type: 'memory.episode.updated', data: { episode_id, agent_id, source } },
    },
  ]
}

/** A conversation with persons. */
export interface Spoken {
  id: string
  agent_id: string
  kind: string
  tainted: number
}

/** Conversations in which persons speak, oldest first. */
export function spokenConversations({
  sql,
}: Sql): Promise<(Omit<Spoken, 'agent_id'> & { agent_id: string | null })[]> {
  return sql.read(
    `SELECT id, agent_id, kind, tainted FROM conversations WHERE kind IN ('user', 'channel') ORDER BY id`,
  )
}

/** Messages of a conversation that are an episode already. */
export async function keptMessages({ sql }: Sql, conversation: string): Promise<Set<string>> {
  const rows = await sql.read<{ id: string }>(
    `SELECT provenance ->> '$.message_id' AS id FROM episodes
    WHERE conversation_id = ? AND source = 'conversation' AND provenance IS NOT NULL`,
    [conversation],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Graphs that a rebuild has replaced and an undo can bring back. */
export async function countKept({ sql }: Sql): Promise<number> {
  const [row] = await sql.read<{ kept: number }>(`SELECT count(*) AS kept FROM graphs WHERE state = 'kept'`)
  return row?.kept ?? 0
}

export async function latestKept({ sql }: Sql): Promise<number | null> {
  const [row] = await sql.read<{ id: number | null }>(`SELECT max(id) AS id FROM graphs WHERE state = 'kept'`)
  return row?.id ?? null
}
