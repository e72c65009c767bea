import { Stack, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import type { CSSProperties } from 'react'
import type { Suggestion } from '../../../runtime/scheduler/activity.ts'
import type { Schedule } from '../../../runtime/schedules/schedule.ts'
import { useEndpoint } from '../../api/query.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { List, Loaded, SkeletonRows } from '../../parts/list.tsx'
import { locale } from '../../parts/locale.ts'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { capitalized } from '../../parts/text.ts'
import { useZone } from '../../parts/time.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'
import { newJobPath } from './new-job-path.ts'
import classes from './scheduler.module.css'

/** When the person is active, and which habits could become jobs. */
export function ActivityView() {
  const query = useEndpoint('/api/scheduler/smart/heatmap', { query: { tz: useZone() } })
  return (
    <Stack gap="lg">
      <Suggestions />
      <Panel title="Your activity">
        <Loaded query={query} what="Your activity" skeleton={<SkeletonRows count={8} />}>
          {({ grid, max }) => (
            <Stack px="md" pb="md" gap="xs">
              <Muted>
                {max === 0
                  ? 'No activity yet. Your messages and the jobs you start yourself are counted here, over 90 days.'
                  : 'Your messages and the jobs you started yourself, over the last 90 days'}
              </Muted>
              <HeatGrid grid={grid} max={max} />
            </Stack>
          )}
        </Loaded>
      </Panel>
    </Stack>
  )
}

/** 2024 began on a Monday. */
const weekdayNames = () =>
  Array.from({ length: 7 }, (_, index) =>
    new Intl.DateTimeFormat(locale(), { weekday: 'short', timeZone: 'UTC' }).format(
      new Date(Date.UTC(2024, 0, 1 + index)),
    ),
  )

interface HeatGridProps {
  /** 24 rows of 7, Monday first. */
  grid: readonly (readonly number[])[]
  max: number
}

/** Hours by weekdays. A table, so that it can be read without seeing colours. */
function HeatGrid({ grid, max }: HeatGridProps) {
  const names = weekdayNames()
  return (
    <table className={classes.heatmap}>
      <caption>
        <VisuallyHidden>Activity by hour and weekday</VisuallyHidden>
      </caption>
      <thead>
        <tr>
          <td />
          {names.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {grid.map((row, hour) => {
          const label = `${String(hour).padStart(2, '0')}:00`
          return (
            <tr key={label}>
              <th scope="row" data-labelled={hour % 3 === 0 || undefined}>
                {label}
              </th>
              {row.map((count, weekday) => (
                <Tooltip key={names[weekday]} label={`${names[weekday]} ${label}: ${counted(count, 'time', 'times')}`}>
                  <td style={{ '--heat': `${heat(count, max)}%` } as CSSProperties}>
                    <VisuallyHidden>{count}</VisuallyHidden>
                  </td>
                </Tooltip>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** Percent of the full colour; anything above zero is visible. */
const heat = (count: number, max: number) => (count === 0 ? 0 : 15 + Math.round((count / Math.max(max, 1)) * 85))

function Suggestions() {
  const query = useEndpoint('/api/scheduler/smart/suggestions')
  return (
    <Panel title="Suggested jobs" count={query.data?.suggestions.length}>
      <List
        query={query}
        what="Suggestions"
        skeleton={<SkeletonRows count={2} />}
        items="suggestions"
        empty="No suggestions yet. What you do at the same hour in three of four weeks appears here."
      >
        {(one) => <SuggestionRow key={`${one.job_id} ${one.time} ${one.days.join()}`} suggestion={one} />}
      </List>
    </Panel>
  )
}

function SuggestionRow({ suggestion }: { suggestion: Suggestion }) {
  const { time, days, reason, job_id } = suggestion
  return (
    <article className="row" style={{ flexWrap: 'wrap' }}>
      <div className="words">
        <Text size="sm" fw={550}>
          {days.map(capitalized).join(', ')} at {time}
        </Text>
        <Hint>{reason}</Hint>
      </div>
      <LinkButton href={job_id ? `/scheduler/${job_id}/edit` : newJobPath({ schedule: cronOf(suggestion) })}>
        {job_id ? 'Edit job' : 'Create job'}
      </LinkButton>
    </article>
  )
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

function cronOf({ time, days }: Suggestion): Schedule {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const numbers = days.map((day) => weekdays.indexOf(day.slice(0, 3).toLowerCase())).filter((day) => day >= 0)
  const every = numbers.length === 0 || numbers.length === 7
  const field = every ? '*' : numbers.toSorted((a, b) => a - b).join()
  return { type: 'cron', expression: `${minute} ${hour} * * ${field}` }
}
