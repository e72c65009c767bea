import type { Host } from '../host.ts'

type Store = Pick<Host, 'sql'>

/** Writes one page that says what it said before; a store that is full or read-only refuses it. */
export const probeStore = ({ sql }: Store) =>
  sql.write([{ sql: 'UPDATE schema_migrations SET release = release WHERE version = 1' }])

/** Units that nothing holds back and that nobody has started since `before`. */
export async function countOverdueWork({ sql }: Store, before: string): Promise<number> {
  const rows = await sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM work AS unit WHERE status = 'queued' AND due_at < ? AND (lane IS NULL OR NOT EXISTS (
      SELECT 1 FROM work AS other WHERE other.lane = unit.lane AND other.status IN ('running', 'waiting')))`,
    [before],
  )
  return rows[0]?.count ?? 0
}

/** Asks the text index, so that a broken one is noticed. */
export const countIndexedEpisodes = ({ sql }: Store) =>
  sql.read(`SELECT count(*) AS count FROM episodes_fts WHERE episodes_fts MATCH 'health'`)

export async function countSessions({ sql }: Store, now: string): Promise<number> {
  const rows = await sql.read<{ count: number }>('SELECT count(*) AS count FROM sessions WHERE expires_at > ?', [now])
  return rows[0]?.count ?? 0
}
