import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'

interface StoredSection {
  section: string
  value: string
  updated_at: string
}

const shared = new Table<StoredSection>('settings', { kept: true })
/** Of the sections of which each user has their own. */
const own = new Table<StoredSection & { owner_id: string }>('user_settings', { kept: true })

/** The stored members of a section as JSON; null if nothing was ever set. */
export async function storedSettings(host: Sql, section: string, owner_id: string | null = null) {
  const stored = owner_id === null ? shared.find(host, { section }) : own.find(host, { section, owner_id })
  return (await stored)?.value ?? null
}

/** Fails with `guard` unless the stored value is still `before`. */
export function saveSettings(
  section: string,
  { before, after, now }: { before: string | null; after: string; now: string },
  guard: string,
  owner_id: string | null = null,
): Statement {
  const stored = { section, value: after, updated_at: now }
  const added = 'ON CONFLICT DO NOTHING'
  if (owner_id === null)
    return before === null
      ? { ...shared.insert(stored, added), guard }
      : shared.update(stored, { section, value: before }, guard)
  return before === null
    ? { ...own.insert({ ...stored, owner_id }, added), guard }
    : own.update(stored, { section, owner_id, value: before }, guard)
}

export const deleteSettings = (section: string, owner_id: string | null = null): Statement =>
  owner_id === null ? shared.delete({ section }) : own.delete({ section, owner_id })
