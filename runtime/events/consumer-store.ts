import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'

/** The last event that a consumer has processed; 0 if there is none. */
export async function storedCursor({ sql }: Pick<Host, 'sql'>, name: string): Promise<number> {
  const [row] = await sql.read<{ cursor: number }>('SELECT cursor FROM event_consumers WHERE name = ?', [name])
  return row?.cursor ?? 0
}

/** Advances a cursor, unless another process has advanced it. */
export const moveCursor = (name: string, from: number, to: number): Statement[] => [
  { sql: 'INSERT OR IGNORE INTO event_consumers (name, cursor) VALUES (?, 0)', args: [name] },
  {
    sql: 'UPDATE event_consumers SET cursor = ? WHERE name = ? AND cursor = ?',
    args: [to, name, from],
    guard: 'Another process has processed these events',
  },
]
