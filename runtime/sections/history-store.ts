import { z } from 'zod'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement, Value } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'

const FieldChange = z.object({
  /** Dotted path, such as `notifications.answers`. */
  field: z.string(),
  /** Null for a secret. */
  before: z.unknown(),
  /** Null for a secret. */
  after: z.unknown(),
  /** A secret, whose values are not stored. */
  secret: z.boolean(),
})
export type FieldChange = z.output<typeof FieldChange>

/** One change to a section. */
export const SettingsChange = z.object({
  id: z.string(),
  section: z.string(),
  at: z.string(),
  /** Who made the change, as in the audit log. */
  actor: z.string(),
  fields: z.array(FieldChange),
  /** The change that this one undid. */
  undid: z.string().nullable(),
  /** The change that undid this one. */
  undone_by: z.string().nullable(),
})
export type SettingsChange = z.output<typeof SettingsChange>

export interface NewChange extends Pick<SettingsChange, 'id' | 'section' | 'at' | 'actor' | 'fields'> {
  /** The owner of the section; empty for daemon-wide settings. */
  owner_id: string
}

export const insertChange = ({ id, section, owner_id, at, actor, fields }: NewChange): Statement => ({
  sql: `INSERT INTO settings_changes (id, section, owner_id, at, actor, fields) VALUES (?, ?, ?, ?, ?, ?)`,
  args: [id, section, owner_id, at, actor, JSON.stringify(fields)],
})

type Row = Omit<SettingsChange, 'fields'> & { fields: string }

const columns = `id, section, at, actor, fields, undid,
  (SELECT later.id FROM settings_changes AS later WHERE later.undid = settings_changes.id) AS undone_by`

const toChange = (row: Row): SettingsChange => ({ ...row, fields: JSON.parse(row.fields) as FieldChange[] })

/** Changes to daemon-wide settings and to one owner's settings, newest first. */
export async function listChanges(
  host: Pick<Host, 'sql'>,
  owner_id: string,
  { section, ...page }: Page & { section?: string | undefined },
): Promise<{ rows: SettingsChange[]; total: number }> {
  const where = `owner_id IN ('', ?)${section === undefined ? '' : ' AND section = ?'}`
  const args: Value[] = [owner_id, ...(section === undefined ? [] : [section])]
  const select = `SELECT ${columns} FROM settings_changes WHERE ${where}`
  const { rows, total } = await selectPage<Row>(host, { select, args, order: 'id DESC' }, page)
  return { rows: rows.map(toChange), total }
}

export async function findChange(
  { sql }: Pick<Host, 'sql'>,
  owner_id: string,
  id: string,
): Promise<SettingsChange | null> {
  const rows = await sql.read<Row>(`SELECT ${columns} FROM settings_changes WHERE id = ? AND owner_id IN ('', ?)`, [
    id,
    owner_id,
  ])
  return rows[0] ? toChange(rows[0]) : null
}

/** Records that the change `id` undoes another one. */
export const markUndone = (undid: string, id: string): Statement => ({
  sql: 'UPDATE settings_changes SET undid = ? WHERE id = ?',
  args: [undid, id],
})

export const pruneChanges = (before: string): Statement => ({
  sql: 'DELETE FROM settings_changes WHERE at < ?',
  args: [before],
})
