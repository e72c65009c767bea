import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'

/** What was set of a section, as JSON; null when nothing ever was. */
export async function storedSettings(host: Host, section: string): Promise<string | null> {
  const rows = await host.sql.read<{ value: string }>('SELECT value FROM settings WHERE section = ?', [
    section,
  ])
  return rows[0]?.value ?? null
}

/** Changes nothing when the section is no longer as it was `before`. */
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

/** Takes away all that was set of a section. */
export const forgetSettings = (section: string): Statement => ({
  sql: 'DELETE FROM settings WHERE section = ?',
  args: [section],
})
