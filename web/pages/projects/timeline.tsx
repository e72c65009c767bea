import { Box, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { Fragment, useState } from 'react'
import type { ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import { duration } from '../../parts/numbers.ts'
import { exact, useZone } from '../../parts/time.tsx'
import { Hint, Muted, TextLink } from '../../parts/typography.tsx'
import { taskStatus } from './labels.ts'
import classes from './projects.module.css'

type Started = Task & { started_at: string }

/** When each task ran. The bars of running tasks grow. */
export function Timeline({ project: { tasks } }: { project: ProjectDetails }) {
  const zone = useZone()
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), 2_000, { autoInvoke: true })
  const started = tasks
    .filter((task): task is Started => task.started_at !== null)
    .toSorted((left, right) => left.started_at.localeCompare(right.started_at))
  if (started.length === 0) return <Muted py="md">No task has started yet.</Muted>
  const from = Date.parse(started[0]?.started_at ?? '')
  const until = Math.max(...started.map((task) => endOf(task, now)), from + 1)
  const percent = (milliseconds: number) => `${(milliseconds / (until - from)) * 100}%`
  return (
    <>
      <Hint mb="xs">
        {exact(new Date(from).toISOString(), zone)} to {exact(new Date(until).toISOString(), zone)}
      </Hint>
      <div className={classes.timeline}>
        {started.map((task) => {
          const start = Date.parse(task.started_at) - from
          const length = endOf(task, now) - from - start
          // Next to a bar that begins at the right, the text has room only on its left.
          const side = start > (until - from) / 2 ? { right: percent(until - from - start) } : { left: percent(start) }
          return (
            <Fragment key={task.id}>
              <TextLink href={`?task=${task.id}`} truncate>
                {task.title}
              </TextLink>
              <Box className="sunken" pos="relative" h="1.4rem" bdrs="sm">
                <Box
                  pos="absolute"
                  top={0}
                  bottom={0}
                  miw={4}
                  bdrs="sm"
                  style={{
                    left: percent(start),
                    width: percent(length),
                    background: `var(--mantine-color-${taskStatus(task.status).color}-light)`,
                  }}
                />
                <Text span pos="absolute" top="0.15rem" px="0.4rem" fz="xs" style={{ whiteSpace: 'nowrap', ...side }}>
                  {duration(length / 1000)}, {taskStatus(task.status).label.toLowerCase()}
                </Text>
              </Box>
            </Fragment>
          )
        })}
      </div>
    </>
  )
}

const endOf = ({ completed_at, updated_at, status }: Started, now: number): number => {
  if (completed_at) return Date.parse(completed_at)
  return status === 'failed' || status === 'cancelled' ? Date.parse(updated_at) : now
}
