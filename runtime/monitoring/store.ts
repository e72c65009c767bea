import type { Host } from '../host.ts'

type Store = Pick<Host, 'sql'>

const probeSlot = 'readiness probe'

/** When the store last took a probe, ISO 8601; null when it never did. */
export async function lastProbe({ sql }: Store): Promise<string | null> {
  const rows = await sql.read<{ created_at: string }>('SELECT created_at FROM idempotency WHERE slot = ?', [
    probeSlot,
  ])
  return rows[0]?.created_at ?? null
}

/**
 * Writes for real: a store that is full or read-only refuses it. The time makes each row new, because SQLite writes
 * nothing when nothing has changed. It stands among the idempotency keys, where no caller's slot can be its name.
 */
export const probeStore = ({ sql }: Store, now: string) =>
  sql.write([
    {
      sql: `INSERT INTO idempotency (slot, fingerprint, created_at) VALUES (?, '', ?)
        ON CONFLICT (slot) DO UPDATE SET created_at = excluded.created_at`,
      args: [probeSlot, now],
    },
  ])

export async function countSessions({ sql }: Store, now: string): Promise<number> {
  const rows = await sql.read<{ count: number }>(
    'SELECT count(*) AS count FROM sessions WHERE expires_at > ?',
    [now],
  )
  return rows[0]?.count ?? 0
}
