import type { Host } from '../../host.ts'

/** What a condition sees of memory: how much there is, and the beginnings of the latest episodes. */
export async function latestEpisodes({ sql }: Pick<Host, 'sql'>) {
  const [count] = await sql.read<{ episodes: number }>('SELECT count(*) AS episodes FROM episodes')
  const latest = await sql.read<{ created_at: string }>(
    `SELECT id, source, agent_id, created_at, importance, valence, topics, substr(content, 1, 500) AS content
      FROM episodes ORDER BY created_at DESC LIMIT 20`,
  )
  return { episodes: count?.episodes ?? 0, last_episode_at: latest[0]?.created_at ?? null, latest }
}
