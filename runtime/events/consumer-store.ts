import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'

/** The last event that a consumer has considered; 0 if it has considered none. */
export async function storedCursor({ sql }: Pick<Host, 'sql'>, name: string): Promise<number> {
  const [row] = await sql.read<{ cursor: number }>('SELECT cursor FROM event_consumers WHERE name = ?', [
    name,
  ])
  return row?.cursor ?? 0
}

/** Moves a cursor, only if no other process has moved it. */
export const moveCursor = (name: string, from: number, to: number): Statement[] => [
  { sql: 'INSERT OR IGNORE INTO event_consumers (name, cursor) VALUES (?, 0)', args: [name] },
  {
    sql: 'UPDATE event_consumers SET cursor = ? WHERE name = ? AND cursor = ?',
    args: [to, name, from],
    guard: 'Another process has considered these events',
  },
]
