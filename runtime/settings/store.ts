import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'

/** The stored members of a section as JSON; null if nothing was ever set. */
export async function storedSettings({ sql }: Pick<Host, 'sql'>, section: string): Promise<string | null> {
  const rows = await sql.read<{ value: string }>('SELECT value FROM settings WHERE section = ?', [section])
  return rows[0]?.value ?? null
}

/** Fails with `guard` unless the stored value is still `before`. */
export function saveSettings(
  section: string,
  { before, after, now }: { before: string | null; after: string; now: string },
  guard: string,
): Statement {
  if (before === null) {
    const sql = 'INSERT INTO settings (section, value, updated_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    return { sql, args: [section, after, now], guard }
  }
  const sql = 'UPDATE settings SET value = ?, updated_at = ? WHERE section = ? AND value = ?'
  return { sql, args: [after, now, section, before], guard }
}

export const deleteSettings = (section: string): Statement => ({
  sql: 'DELETE FROM settings WHERE section = ?',
  args: [section],
})
