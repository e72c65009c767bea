import type { ComponentType } from 'react'
import { useEndpoint } from '../api/query.ts'
import { useIsAdmin } from '../parts/administrators-only.tsx'
import { matchesAll, type SettingsSection, settingsSections } from './settings-sections.ts'

export interface FoundSetting {
  id: string
  path: string
  label: string
  /** Of the field: its section, and its help. */
  description: string
  icon: ComponentType<{ size?: number | string }>
}

/** The sections that the person may open. */
export function useSections(): readonly SettingsSection[] {
  const isAdmin = useIsAdmin()
  return settingsSections.filter(({ admin }) => !admin || isAdmin)
}

/** Sections of the daemon that are shown in a section of another name. */
const shownIn: Readonly<Record<string, string>> = { retention: 'storage' }

interface Schema {
  title?: string
  description?: string
  properties?: Record<string, Schema>
}

/** Finds sections by their titles and what people call them, and fields by title, help and value. */
export function useFoundSettings(query: string): FoundSetting[] {
  const sections = useSections()
  const options = { enabled: query !== '' }
  const schemas =
    useEndpoint('/api/settings/schema', {}, { ...options, staleTime: Number.POSITIVE_INFINITY }).data ?? {}
  const values: Record<string, unknown> = useEndpoint('/api/settings', {}, options).data ?? {}
  if (query === '') return []
  const whole = sections
    .filter(({ label, hint, words }) => matchesAll(query, label, hint, words))
    .map(({ id, label, hint, icon }) => ({ id, path: `/settings/${id}`, label, description: hint, icon }))
    .sort((left, right) => Number(matchesAll(query, right.label)) - Number(matchesAll(query, left.label)))
  const fields = sections.flatMap(({ id, label, icon }) => {
    const names = Object.keys(schemas).filter((name) => (shownIn[name] ?? name) === id)
    return names
      .flatMap((name) => fieldsOf(schemas[name] ?? {}, values[name]))
      .filter(({ title, help, value }) => matchesAll(query, title, help, value))
      .map(({ title, help }) => ({
        ...{ id: `${id} ${title}`, path: `/settings/${id}`, label: title, icon },
        description: help ? `${label} · ${help}` : label,
      }))
  })
  return [...whole, ...fields]
}

/** The fields with a title, those of groups included. */
function fieldsOf({ properties = {} }: Schema, values: unknown): { title: string; help: string; value: string }[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const value = (Object(values) as Record<string, unknown>)[name]
    const own = {
      title: schema.title ?? '',
      help: schema.description ?? '',
      value: schema.properties ? '' : text(value),
    }
    return [...(own.title ? [own] : []), ...fieldsOf(schema, value)]
  })
}

const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
