import { Text, UnstyledButton } from '@mantine/core'
import type { Entity } from '../../../api/memory.ts'
import { whole } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'
import { typeLabels } from '../labels.ts'
import classes from './graph.module.css'

const most = 60

/** The same entities as words: the way for whoever does not use the picture. */
export function EntityList({
  entities,
  choose,
}: {
  entities: readonly Entity[]
  choose: (id: string) => void
}) {
  const left = entities.length - most
  return (
    <Panel title="Mentioned most">
      {entities.length === 0 && (
        <Text size="sm" c="dimmed" px="md" pb="md">
          Nothing fits. Another name, type or time may.
        </Text>
      )}
      <ul className={classes.list}>
        {entities.slice(0, most).map(({ id, name, type, mentions }) => (
          <li key={id}>
            <UnstyledButton className={classes.entity} onClick={() => choose(id)}>
              <Text size="sm" component="span" truncate>
                {name}
              </Text>
              <Text size="xs" c="dimmed" component="span">
                {typeLabels[type].toLowerCase()} · {whole(mentions)}
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Text size="xs" c="dimmed" px="md" pb="sm">
          And {whole(left)} more. Type part of a name to find them.
        </Text>
      )}
    </Panel>
  )
}
