import { Badge, Group, Stack, Text } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import type { AnswerOf } from '../../api/client.ts'
import { usePages } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Hint } from '../../parts/hint.tsx'
import { labelOf } from '../../parts/label-of.ts'
import { List } from '../../parts/list.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Row } from '../../parts/row.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useChange } from '../../parts/use-change.ts'

type Change = AnswerOf<'GET', '/api/settings/history'>['changes'][number]

/** The change history of the settings, newest first, with undo. */
export function History() {
  const query = usePages('/api/settings/history', {})
  return (
    <Stack maw={760}>
      <Panel title="Changes">
        <List
          query={query}
          what="The history"
          items={({ pages }) => pages.flatMap(({ changes }) => changes)}
          empty={
            <EmptyState icon={<IconArrowBackUp />} title="No changes yet">
              Changes to settings appear here, with who made them.
            </EmptyState>
          }
        >
          {(change) => <ChangeRow key={change.id} change={change} />}
        </List>
      </Panel>
    </Stack>
  )
}

function ChangeRow({ change: { id, section, actor, at, fields, undid, undone_by } }: { change: Change }) {
  const undo = useChange((api) => api.post('/api/settings/history/{id}/undo', { params: { id } }), {
    stale: ['/api/settings'],
    done: () => announce('The change was undone'),
  })
  const kept = fields.every(({ secret }) => !secret)
  return (
    <Row
      name={labelOf(section)}
      label={`${labelOf(section)}: ${fields.map(({ field }) => field).join(', ')}`}
      badges={
        <>
          {undid && <Mark>Undo</Mark>}
          {undone_by && <Mark>Undone</Mark>}
        </>
      }
      actions={
        kept &&
        !undone_by && (
          <Confirm question="Restore the previous values?" verb="Undo" confirm={() => undo.mutate()}>
            {(toggle) => (
              <SmallButton icon={IconArrowBackUp} loading={undo.isPending} onClick={toggle}>
                Undo
              </SmallButton>
            )}
          </Confirm>
        )
      }
    >
      {fields.map((field) => (
        <FieldLine key={field.field} change={field} />
      ))}
      <Hint>
        {actor} · <Time at={at} />
      </Hint>
    </Row>
  )
}

const Mark = ({ children }: { children: string }) => (
  <Badge size="sm" variant="light" color="gray">
    {children}
  </Badge>
)

const FieldLine = ({ change: { field, before, after, secret } }: { change: Change['fields'][number] }) => (
  <Group gap={6} style={{ overflowWrap: 'anywhere' }}>
    <Text size="sm">{labelOf(field.replaceAll('.', ' '))}:</Text>
    <Text size="sm" c="dimmed">
      {secret ? 'secret changed' : `${shown(before)} → ${shown(after)}`}
    </Text>
  </Group>
)

function shown(value: unknown): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value) && value.length === 0) return 'none'
  const text = typeof value === 'string' ? value || 'empty' : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
