import { z } from 'zod'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'

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

const changes = new Table<SettingsChange, 'owner_id'>('settings_changes', {
  json: ['fields'],
  select: `id, section, at, actor, fields, undid,
    (SELECT later.id FROM settings_changes AS later WHERE later.undid = settings_changes.id) AS undone_by`,
})

export const insertChange = (change: NewChange): Statement => changes.insert(change)

/** Of the daemon-wide settings and of one owner's. */
const visibleTo = (owner_id: string) => sql`owner_id IN ('', ${owner_id})`

/** Changes to daemon-wide settings and to one owner's settings, newest first. */
export const listChanges = (
  host: Sql,
  owner_id: string,
  { section, ...page }: Page & { section?: string | undefined },
) => changes.page(host, page, 'id DESC', visibleTo(owner_id), { section })

export const findChange = (host: Sql, owner_id: string, id: string) => changes.find(host, { id }, visibleTo(owner_id))

/** Records that the change `id` undoes another one. */
export const markUndone = (undid: string, id: string): Statement => changes.update({ undid }, { id })

export const pruneChanges = (before: string): Statement => changes.delete(sql`at < ${before}`)
