import { Badge, Group, Text } from '@mantine/core'
import { IconHandClick } from '@tabler/icons-react'
import { whole } from '../../../parts/numbers.ts'
import { EmptyState } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import classes from '../browser.module.css'
import { useDesk } from '../desk.tsx'
import type { LoggedAct } from '../live/messages.ts'
import { ActForm } from './act-form.tsx'
import { aimOf, titleOf, wordsOf } from './describe.ts'

/** Everything that is done in the browser while this page is open, by whomever. */
export function ActionsPanel() {
  const { acts } = useDesk().live
  return (
    <>
      <ActForm />
      <ol className={classes.list} aria-label="What was done">
        {acts.map((act) => (
          <Entry key={act.key} act={act} />
        ))}
        {acts.length === 0 && (
          <li>
            <EmptyState icon={<IconHandClick size={28} />} title="Nothing was done yet">
              What you, your agents and replays do appears here while this page is open.
            </EmptyState>
          </li>
        )}
      </ol>
    </>
  )
}

function Entry({ act: { action, target, failure, duration_ms, by_person, at } }: { act: LoggedAct }) {
  const words = wordsOf(action)
  return (
    <li className={classes.entry}>
      <Group gap={6} justify="space-between" wrap="nowrap" align="flex-start">
        <span>
          <b>{titleOf(action.action)}</b> {aimOf(action, target)} {words && <i>{words}</i>}
        </span>
        {failure && (
          <Badge size="sm" color="red" variant="light">
            {failure}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" component="div">
        <Time at={at} /> · {whole(Math.round(duration_ms))} ms{by_person && ' · by hand'}
      </Text>
    </li>
  )
}
