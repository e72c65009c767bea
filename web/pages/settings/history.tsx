import { Badge, Group, Stack, Text } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import type { AnswerOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { settingsSections } from '../../app/settings-sections.ts'
import { announce } from '../../parts/announce.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import type { Schema } from '../../parts/schema/schema.ts'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'

type Change = AnswerOf<'GET', '/api/settings/history'>['changes'][number]

/** The change history of the settings, newest first, with undo. */
export function History() {
  const schemas = useEndpoint('/api/settings/schema', {}, { staleTime: Number.POSITIVE_INFINITY }).data
  return (
    <Stack maw={760}>
      <ResourceList
        path="/api/settings/history"
        items="changes"
        title="Changes"
        icon={IconArrowBackUp}
        empty="Changes to settings appear here, with who made them."
        row={({ id, section, actor, at, fields, undid, undone_by }) => {
          const name = settingsSections.find((one) => one.id === section)?.label ?? labelOf(section)
          return {
            name,
            label: `${name}: ${fields.map(({ field }) => field).join(', ')}`,
            badges: (
              <>
                {undid && <Badge color="gray">Undo</Badge>}
                {undone_by && <Badge color="gray">Undone</Badge>}
              </>
            ),
            actions: !undone_by && fields.every(({ secret }) => !secret) && (
              <ConfirmButton
                question="Restore the previous values?"
                verb="Undo"
                icon={IconArrowBackUp}
                run={(api) => api.post('/api/settings/history/{id}/undo', { params: { id } })}
                done={() => announce('The change was undone')}
              >
                Undo
              </ConfirmButton>
            ),
            children: (
              <>
                {fields.map((field) => (
                  <FieldLine key={field.field} change={field} schema={schemas?.[section] as Schema | undefined} />
                ))}
                <Hint>
                  {actor} · <Time at={at} />
                </Hint>
              </>
            ),
          }
        }}
      />
    </Stack>
  )
}

interface FieldLineProps {
  change: Change['fields'][number]
  /** Of the section. */
  schema: Schema | undefined
}

function FieldLine({ change: { field, before, after, secret }, schema }: FieldLineProps) {
  const { title, unit } = labelled(schema, field)
  return (
    <Group gap={6} style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">{title}:</Text>
      <Muted>{secret ? 'secret changed' : `${shown(before, unit)} → ${shown(after, unit)}`}</Muted>
    </Group>
  )
}

/** The title and unit of a field such as `profiles.economy.model`, as in the form of its section. */
function labelled(section: Schema | undefined, field: string): { title: string; unit: string } {
  let member = section
  const titles: string[] = []
  for (const name of field.split('.')) {
    const group = member?.anyOf?.find(({ properties }) => properties) ?? member
    member = group?.properties?.[name]
    titles.push(member?.title ?? labelOf(name))
  }
  return { title: titles.join(', '), unit: member?.unit ?? '' }
}

function shown(value: unknown, unit: string): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') return `${value} ${unit}`.trim()
  if (Array.isArray(value) && value.length === 0) return 'none'
  const text = typeof value === 'string' ? value || 'empty' : listed(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** A list of texts, or the members of an object; JSON if they are not plain. */
function listed(value: unknown): string {
  const entries = Object.entries(value as object)
  if (entries.some(([, member]) => typeof member === 'object')) return JSON.stringify(value)
  return entries.map(([name, member]) => (Array.isArray(value) ? member : `${name} ${member}`)).join(', ')
}
