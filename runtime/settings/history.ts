import { auditStatement } from '../auth/audit.ts'
import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { conflict, notFound } from '../fault.ts'
import type { Page } from '../http/page.ts'
import { findChange, listChanges, markUndone, type SettingsChange } from '../sections/history-store.ts'
import { subsetOf } from '../sections/merge.ts'
import { readSection, type ServedSection } from '../sections/section.ts'
import { isSameJson } from '../values.ts'

/** Changes to daemon-wide settings and to the caller's settings, newest first. */
export const settingsHistory = (context: Context, query: Page & { section?: string | undefined }) =>
  listChanges(context, ownerOf(context), query)

async function requireChange(context: Context, id: string): Promise<SettingsChange> {
  const change = await findChange(context, ownerOf(context), id)
  if (!change) throw notFound('The change')
  return change
}

/**
 * Restores the values from before a change and returns the new change. A 409 if they have changed again since, so that
 * an undo never discards a later change, or if they are secrets, whose values are not stored.
 */
export async function undoChange(
  context: Context,
  sections: readonly ServedSection[],
  id: string,
): Promise<SettingsChange> {
  const change = await requireChange(context, id)
  if (change.undone_by !== null) throw conflict('This change was already undone')
  const served = sections.find(({ section }) => section.name === change.section)
  if (!served) throw conflict(`The settings section ${change.section} no longer exists`)
  const { section, save } = served
  const body = subsetOf(section.sent ?? section.schema).safeParse(valuesBefore(change))
  if (!body.success || change.fields.some(({ secret }) => secret))
    throw conflict('This change cannot be undone, because previous values of secrets are not stored')
  const current = await readSection(context, section)
  const later = change.fields.filter(({ field, after }) => !isSameJson(valueAt(current, field), after))
  if (later.length > 0) {
    const names = later.map(({ field }) => field).join(', ')
    throw conflict(`${names} changed again later; undo the later change first`)
  }
  await save(context, body.data as Record<string, unknown>)
  const undone = await latestChange(context, change.section)
  if (undone.id === id) throw conflict('There is nothing to undo: the values are already the same')
  const audit = auditStatement(context, { action: 'settings.undone', target: `${section.name} ${id}` })
  const answer: SettingsChange = { ...undone, undid: id }
  await context.commit([markUndone(id, undone.id), audit], [], { answer })
  return answer
}

async function latestChange(context: Context, section: string): Promise<SettingsChange> {
  const { rows: changes } = await settingsHistory(context, { section, limit: 1, offset: 0 })
  return changes[0] as SettingsChange
}

/** The previous values, in the format that the section accepts. */
function valuesBefore({ fields }: SettingsChange): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { field, before } of fields) {
    const names = field.split('.')
    const last = names.pop() as string
    let inner = values
    for (const name of names) {
      inner[name] ??= {}
      inner = inner[name] as Record<string, unknown>
    }
    inner[last] = before
  }
  return values
}

const valueAt = (value: unknown, field: string): unknown =>
  field.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null)?.[name], value)
