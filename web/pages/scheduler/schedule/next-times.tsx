import { Text, Tooltip } from '@mantine/core'
import { locale } from '../../../parts/locale.ts'
import { exact } from '../../../parts/time.tsx'
import classes from '../scheduler.module.css'

interface NextTimesProps {
  times: readonly string[]
  zone: string
  /** "The next five times". */
  what: string
}

/** Days and times on the wall clock of `zone`; the exact time on hover. */
export function NextTimes({ times, zone, what }: NextTimesProps) {
  if (times.length === 0) return null
  return (
    <ul className={classes.times} aria-label={what}>
      {times.map((at) => (
        <Tooltip key={at} label={exact(at, zone)}>
          <li className={classes.time}>
            <time dateTime={at}>{short(at, zone)}</time>
          </li>
        </Tooltip>
      ))}
    </ul>
  )
}

function short(at: string, timeZone: string): string {
  const date = new Date(at)
  const far = Math.abs(date.getTime() - Date.now()) > 300 * 24 * 3_600_000
  return new Intl.DateTimeFormat(locale(), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(far && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(date.getUTCSeconds() !== 0 && { second: '2-digit' }),
    timeZone,
  }).format(date)
}

/** One line that holds its place until there is something to say. */
export function Zone({ zone }: { zone: string }) {
  return (
    <Text span size="xs" c="dimmed">
      {zone.replaceAll('_', ' ')}
    </Text>
  )
}
