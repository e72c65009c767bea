import { VisuallyHidden } from '@mantine/core'
import type { CalendarEvent } from '../../../api/scheduler.ts'
import { counted } from '../../../parts/numbers.ts'
import { addDays } from '../schedule/wall-clock.ts'
import classes from './calendar.module.css'
import { DayPanel } from './day-panel.tsx'
import { type Days, longDay, weekdays } from './days.ts'

interface MonthProps {
  start: string
  end: string
  /** `2026-11` */
  month: string
  chosen: string
  today: string
  days: Days
  choose: (day: string) => void
}

/** Names that fit into a day; the rest is a number, and all of it stands below. */
const shown = 3

export function Month({ start, end, month, chosen, today, days, choose }: MonthProps) {
  const dates: string[] = []
  for (let day = start; day < end; day = addDays(day, 1)) dates.push(day)
  return (
    <>
      <div className={classes.names} aria-hidden>
        {weekdays().map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <ol className={classes.month}>
        {dates.map((day) => (
          <li key={day}>
            <button
              type="button"
              className={classes.day}
              aria-pressed={day === chosen}
              aria-current={day === today ? 'date' : undefined}
              data-outside={!day.startsWith(month) || undefined}
              onClick={() => choose(day)}
            >
              <span aria-hidden className={classes.number}>
                {Number(day.slice(8))}
              </span>
              <VisuallyHidden>
                {longDay(day)}, {counted(days.get(day)?.length ?? 0, 'run', 'runs')}
              </VisuallyHidden>
              <Inside events={days.get(day) ?? []} />
            </button>
          </li>
        ))}
      </ol>
      <DayPanel day={chosen} events={days.get(chosen) ?? []} />
    </>
  )
}

/** For the eye only: the button says how many they are. */
function Inside({ events }: { events: readonly CalendarEvent[] }) {
  const names = [...new Map(events.map((event) => [event.job_id, event])).values()]
  return (
    <span aria-hidden className={classes.inside}>
      {names.slice(0, shown).map(({ job_id, name, status }) => (
        <span key={job_id} className={classes.event} data-status={status}>
          <span className={classes.text}>{name}</span>
        </span>
      ))}
      {names.length > shown && <span className={classes.more}>+{names.length - shown}</span>}
    </span>
  )
}
