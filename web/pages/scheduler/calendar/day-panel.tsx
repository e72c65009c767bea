import { Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { CalendarEvent, RunStatus } from '../../../api/scheduler.ts'
import { locale } from '../../../parts/locale.ts'
import { useZone } from '../../../parts/time.tsx'
import { runLabels } from '../labels.ts'
import classes from './calendar.module.css'
import { longDay } from './days.ts'

interface DayPanelProps {
  day: string
  events: readonly CalendarEvent[]
  today?: boolean
}

/** Lines of a day before a click shows the rest. */
const first = 30

/** All of a day in the order of the clock. */
export function DayPanel({ day, events, today }: DayPanelProps) {
  const zone = useZone()
  const [all, setAll] = useState(false)
  const format = new Intl.DateTimeFormat(locale(), { hour: '2-digit', minute: '2-digit', timeZone: zone })
  return (
    <section className={`card ${classes.panel}`} aria-label={longDay(day)} data-today={today || undefined}>
      <Text component="h3" fw={600} size="sm" mb={4}>
        {longDay(day)}
      </Text>
      {events.length === 0 && (
        <Text size="xs" c="dimmed">
          Nothing
        </Text>
      )}
      <ul className={classes.list}>
        {events.slice(0, all ? undefined : first).map(({ job_id, run_id, at, name, status }) => (
          <li key={run_id ?? `${job_id}${at}`}>
            <Link
              href={run_id ? `/scheduler/${job_id}/${run_id}` : `/scheduler/${job_id}`}
              className={classes.entry}
              data-status={status}
            >
              <time dateTime={at}>{format.format(new Date(at))}</time> <span>{name}</span>
              <span className={classes.status}>{runLabels[status as RunStatus]?.label ?? 'Planned'}</span>
            </Link>
          </li>
        ))}
      </ul>
      {events.length > first && !all && (
        <button type="button" className={classes.rest} onClick={() => setAll(true)}>
          {events.length - first} more
        </button>
      )}
    </section>
  )
}
