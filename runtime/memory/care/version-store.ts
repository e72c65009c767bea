import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import { pairsOf } from '../retrieval/pairs.ts'
import type { Change, EpisodeVersion, WholeEpisode } from './schema.ts'

type Sql = Pick<Host, 'sql'>

/** Versions that are kept of one episode. */
const mostVersions = 20

/** The whole of a row of `episodes`, as JSON. */
const whole = `json_object('id', id, 'content', content, 'reply', reply, 'summary', summary, 'source', source,
  'valence', valence, 'importance', importance, 'access_count', access_count, 'topics', json(topics),
  'agent_id', agent_id, 'provenance', json(provenance), 'trust', trust, 'position', position,
  'created_at', created_at, 'updated_at', updated_at)`

interface Ending {
  change: Change
  by: string
  at: string
}

/** Keeps what an episode is now, to stand before what changes it. Only the latest versions stay. */
export const keepVersion = (id: string, { change, by, at }: Ending): Statement[] => [
  {
    sql: `INSERT INTO episode_versions (episode_id, version, change, changed_by, changed_at, body)
      SELECT id, (SELECT coalesce(max(version), 0) + 1 FROM episode_versions WHERE episode_id = episodes.id), ?, ?, ?, ${whole}
      FROM episodes WHERE id = ?`,
    args: [change, by, at, id],
  },
  {
    sql: `DELETE FROM episode_versions WHERE episode_id = ? AND version <= (
      SELECT max(version) - ? FROM episode_versions WHERE episode_id = ?)`,
    args: [id, mostVersions, id],
  },
]

type Row = Omit<EpisodeVersion, 'episode'> & { body: string }

/** Versions that ended after `since`, the latest first. */
export async function versionsOf({ sql }: Sql, id: string, since: string): Promise<EpisodeVersion[]> {
  const rows = await sql.read<Row>(
    `SELECT version, change, changed_by, changed_at, body FROM episode_versions
    WHERE episode_id = ? AND changed_at >= ? ORDER BY version DESC`,
    [id, since],
  )
  return rows.map(({ body, ...row }) => ({ ...row, episode: JSON.parse(body) as WholeEpisode }))
}

/** Puts a deleted episode back. */
export const reinsertEpisode = (episode: WholeEpisode): Statement => ({
  sql: `INSERT INTO episodes (id, content, reply, summary, source, valence, importance, access_count, topics, agent_id,
    conversation_id, position, provenance, trust, created_at, updated_at, pairs)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  args: [
    episode.id,
    episode.content,
    episode.reply,
    episode.summary,
    episode.source,
    episode.valence,
    episode.importance,
    episode.access_count,
    JSON.stringify(episode.topics),
    episode.agent_id,
    episode.provenance?.conversation_id ?? null,
    episode.position,
    episode.provenance && JSON.stringify(episode.provenance),
    episode.trust,
    episode.created_at,
    episode.updated_at,
    pairsOf([episode.content, episode.reply, ...episode.topics].join('\n')),
  ],
})

/** Forgets every version of an episode. */
export const dropVersions = (id: string): Statement => ({
  sql: 'DELETE FROM episode_versions WHERE episode_id = ?',
  args: [id],
})

export const pruneVersions = (before: string): Statement => ({
  sql: 'DELETE FROM episode_versions WHERE changed_at < ?',
  args: [before],
})

export async function oldestVersion({ sql }: Sql): Promise<string | null> {
  const [row] = await sql.read<{ at: string | null }>('SELECT min(changed_at) AS at FROM episode_versions')
  return row?.at ?? null
}
