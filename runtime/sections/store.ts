import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'

/** The row of a section: one shared row, or one per user. */
const rowOf = (section: string, owner_id: string | null) =>
  owner_id === null
    ? { table: 'settings', columns: 'section', where: 'section = ?', args: [section] }
    : {
        table: 'user_settings',
        columns: 'section, owner_id',
        where: 'section = ? AND owner_id = ?',
        args: [section, owner_id],
      }

/** The stored members of a section as JSON; null if nothing was ever set. */
export async function storedSettings(
  { sql }: Pick<Host, 'sql'>,
  section: string,
  owner_id: string | null = null,
): Promise<string | null> {
  const { table, where, args } = rowOf(section, owner_id)
  const rows = await sql.read<{ value: string }>(`SELECT value FROM ${table} WHERE ${where}`, args)
  return rows[0]?.value ?? null
}

/** Fails with `guard` unless the stored value is still `before`. */
export function saveSettings(
  section: string,
  { before, after, now }: { before: string | null; after: string; now: string },
  guard: string,
  owner_id: string | null = null,
): Statement {
  const { table, columns, where, args } = rowOf(section, owner_id)
  if (before === null) {
    const values = [...args, after, now]
    const sql = `INSERT INTO ${table} (${columns}, value, updated_at)
      VALUES (${values.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`
    return { sql, args: values, guard }
  }
  const sql = `UPDATE ${table} SET value = ?, updated_at = ? WHERE ${where} AND value = ?`
  return { sql, args: [after, now, ...args, before], guard }
}

export function deleteSettings(section: string, owner_id: string | null = null): Statement {
  const { table, where, args } = rowOf(section, owner_id)
  return { sql: `DELETE FROM ${table} WHERE ${where}`, args }
}
