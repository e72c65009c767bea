import type { Host } from '../../host.ts'
import { graphOf } from '../graph/generations.ts'

type Sql = Pick<Host, 'sql'>

export interface Link {
  id: string
  score: number
}

const live = graphOf.replace('?', "'live'")

/** Episodes that mention the same entities: the rarer what they share, the nearer. */
export const sharingEntities = ({ sql }: Sql, id: string, most: number): Promise<Link[]> =>
  sql.read<Link>(
    `SELECT other.episode_id AS id, min(1.0, sum(1.0 / (1 + ln(1 + entities.mentions)))) AS score
    FROM episode_entities AS own JOIN entities ON entities.rowid = own.entity AND entities.graph = ${live}
    JOIN episode_entities AS other ON other.entity = own.entity AND other.episode_id <> own.episode_id
    WHERE own.episode_id = ? GROUP BY other.episode_id ORDER BY score DESC, other.episode_id DESC LIMIT ?`,
    [id, most],
  )

/** Episodes around it in its conversation, by distance. */
export const besideInConversation = ({ sql }: Sql, id: string, most: number): Promise<Link[]> =>
  sql.read<Link>(
    `SELECT other.id, 1.0 / (1 + abs(other.position - own.position)) AS score FROM episodes AS own
    JOIN episodes AS other ON other.conversation_id = own.conversation_id AND other.id <> own.id
      AND other.position BETWEEN own.position - 5 AND own.position + 5
    WHERE own.id = ? ORDER BY score DESC, other.id LIMIT ?`,
    [id, most],
  )

/** Episodes of the same agent within the hour: the nearer in time, the nearer. */
export const aroundInTime = ({ sql }: Sql, id: string, most: number): Promise<Link[]> =>
  sql.read<Link>(
    `SELECT other.id, 0.3 * (1 - abs(unixepoch(other.created_at) - unixepoch(own.created_at)) / 3600.0) AS score
    FROM episodes AS own JOIN episodes AS other ON other.agent_id IS own.agent_id AND other.id <> own.id
      AND other.created_at BETWEEN strftime('%Y-%m-%dT%H:%M:%fZ', own.created_at, '-1 hour')
        AND strftime('%Y-%m-%dT%H:%M:%fZ', own.created_at, '+1 hour')
    WHERE own.id = ? ORDER BY score DESC, other.id DESC LIMIT ?`,
    [id, most],
  )

/** Of these episodes, how large a part of their topics both have. */
export const sharingTopics = ({ sql }: Sql, id: string, candidates: readonly string[]): Promise<Link[]> =>
  sql.read<Link>(
    `WITH own AS (SELECT lower(topic.value) AS name FROM episodes, json_each(episodes.topics) AS topic WHERE episodes.id = ?),
      theirs AS (SELECT DISTINCT episodes.id AS id, lower(topic.value) AS name FROM episodes, json_each(episodes.topics) AS topic
        WHERE episodes.id IN (SELECT value FROM json_each(?)))
    SELECT id, 1.0 * sum(name IN own) / (count(*) + (SELECT count(DISTINCT name) FROM own) - sum(name IN own)) AS score
    FROM theirs GROUP BY id HAVING sum(name IN own) > 0`,
    [id, JSON.stringify(candidates)],
  )
