import type { Host } from '../../host.ts'
import { iso } from '../../time.ts'
import { conditionOf, type EpisodeFilter } from '../filter.ts'
import { readPacked } from '../packed.ts'
import type { Span } from './named-time.ts'

/** An episode that may be an answer, or stands beside one. */
export interface PoolRow {
  rowid: number
  conversation_id: string | null
  position: number | null
  /** Its first characters; whole when `length` says no more. */
  text: string
  length: number
  /** 1 when the answer of the exchange is part of the episode. */
  answered: number
  importance: number
  created_at: string
  /** How many answers had it in their prompt and rested on it, and how many passed it over. */
  used: number
  ignored: number
}

/** Places to either side that count as context; one more is read, for the context of the farthest. */
const reach = 2
const seen = 600

/** The episodes of these rows and their neighbours in the conversation, as far as the filter lets them pass. */
export async function poolOf(
  { sql }: Pick<Host, 'sql'>,
  rowids: readonly number[],
  filter: EpisodeFilter,
): Promise<PoolRow[]> {
  const condition = conditionOf(filter)
  const wanted = JSON.stringify(rowids)
  return readPacked<PoolRow>(
    sql,
    {
      columns: poolColumns,
      from: `FROM episodes LEFT JOIN episode_recalls ON episode_id = episodes.id WHERE episodes.rowid IN (
        SELECT value FROM json_each(?)
        UNION SELECT near.rowid FROM json_each(?) AS wanted
        JOIN episodes AS anchor ON anchor.rowid = wanted.value
        JOIN episodes AS near ON near.conversation_id = anchor.conversation_id
          AND near.position BETWEEN anchor.position - ${reach} AND anchor.position + ${reach}
      ) ${condition.sql && `AND ${condition.sql}`}`,
    },
    [wanted, wanted, ...condition.args],
  )
}

const poolColumns = {
  rowid: 'episodes.rowid',
  conversation_id: 'conversation_id',
  position: 'position',
  text: `substr(content, 1, ${seen})`,
  length: 'length(content)',
  answered: "reply <> ''",
  importance: 'importance',
  created_at: 'created_at',
  used: 'coalesce(used, 0)',
  ignored: 'coalesce(ignored, 0)',
}

/** The last episodes that were stored in a span of time. */
export async function storedIn(
  { sql }: Pick<Host, 'sql'>,
  { from, until }: Span,
  { filter, most }: { filter: EpisodeFilter; most: number },
): Promise<number[]> {
  const condition = conditionOf(filter)
  const rows = await sql.read<{ rowid: number }>(
    `SELECT rowid FROM episodes WHERE created_at >= ? AND created_at < ? ${condition.sql && `AND ${condition.sql}`}
    ORDER BY created_at DESC LIMIT ?`,
    [iso(from), iso(until), ...condition.args, most],
  )
  return rows.map(({ rowid }) => rowid)
}

/** For each row the ones before and after it in its conversation, the nearest first. */
export interface Surroundings {
  before: PoolRow[]
  after: PoolRow[]
}

export function surroundingsOf(rows: readonly PoolRow[]): Map<number, Surroundings> {
  const conversations = Map.groupBy(
    rows.filter(({ conversation_id, position }) => conversation_id !== null && position !== null),
    ({ conversation_id }) => conversation_id,
  )
  const found = new Map<number, Surroundings>()
  for (const conversation of conversations.values()) {
    conversation.sort((left, right) => placeOf(left) - placeOf(right) || left.rowid - right.rowid)
    for (const [index, row] of conversation.entries()) {
      const near = (other: PoolRow | undefined): other is PoolRow =>
        other !== undefined && Math.abs(placeOf(other) - placeOf(row)) <= reach
      found.set(row.rowid, {
        before: [conversation[index - 1], conversation[index - 2]].filter(near),
        after: [conversation[index + 1], conversation[index + 2]].filter(near),
      })
    }
  }
  return found
}

const placeOf = ({ position }: PoolRow): number => position ?? 0
