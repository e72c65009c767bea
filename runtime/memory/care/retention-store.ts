import type { Host } from '../../host.ts'
import type { Value } from '../../ports/sql.ts'
import type { MemorySettings } from '../settings.ts'

type Rules = MemorySettings['retention']

/** What the owner wrote by hand goes by age alone: they have not said that it matters little, or that it is too much. */
const notByHand = `NOT (source = 'manual' AND trust = 'owner')`

/** Ids of episodes that a rule gives up, at most `most`: the old, the unimportant, and then the least of what is too many. */
export async function givenUp(
  { sql }: Pick<Host, 'sql'>,
  rules: Rules,
  { before, most }: { before: string; most: number },
): Promise<string[]> {
  const conditions: [string, Value | null][] = [
    ['created_at < ?', rules.max_age_days === null ? null : before],
    [`importance < ? AND ${notByHand}`, rules.delete_below_importance],
  ]
  const used = conditions.filter((one): one is [string, Value] => one[1] !== null)
  const ids = new Set<string>()
  for (const [condition, value] of used) {
    const rows = await sql.read<{ id: string }>(
      `SELECT id FROM episodes WHERE ${condition} ORDER BY created_at LIMIT ?`,
      [value, most],
    )
    for (const { id } of rows) ids.add(id)
  }
  if (ids.size > 0 || rules.max_episodes === null) return [...ids].slice(0, most)
  return tooMany({ sql }, rules.max_episodes, most)
}

/** Importance first, then what answers have rested on, then age. */
async function tooMany({ sql }: Pick<Host, 'sql'>, kept: number, most: number): Promise<string[]> {
  const [count] = await sql.read<{ total: number }>('SELECT count(*) AS total FROM episodes')
  const excess = Math.min(most, (count?.total ?? 0) - kept)
  if (excess <= 0) return []
  const rows = await sql.read<{ id: string }>(
    `SELECT id FROM episodes LEFT JOIN episode_recalls ON episode_id = id WHERE ${notByHand}
    ORDER BY importance, coalesce(used, 0), created_at LIMIT ?`,
    [excess],
  )
  return rows.map(({ id }) => id)
}
