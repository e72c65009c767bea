import { Alert, Box, Group, SegmentedControl, SimpleGrid, Stack, Text, VisuallyHidden } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCheck,
  IconChevronLeft,
  IconChevronRight,
  IconClock,
  IconPlayerPlay,
  IconX,
} from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { RunStatus } from '../../../runtime/scheduler/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import type { CalendarEvent } from '../../api/scheduler.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { Loaded, SkeletonRows } from '../../parts/list.tsx'
import { locale } from '../../parts/locale.ts'
import { counted } from '../../parts/numbers.ts'
import { useZone } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import classes from './calendar.module.css'
import shared from './scheduler.module.css'
import { runLabels } from './status.tsx'
import { addDays, dayOf, type Extent, spanOf, stepped } from './zone.ts'

type Days = ReadonlyMap<string, readonly CalendarEvent[]>

/** Past and planned runs by month or week. */
export function CalendarView() {
  const { zone, today, extent, day, go } = usePlace()
  const { start, end } = spanOf(day, extent)
  const query = useEndpoint(
    '/api/scheduler/calendar-data',
    { query: { start, end, tz: zone, group: extent === 'month' ? 'day' : 'hour' } },
    { keepPrevious: true },
  )
  const View = extent === 'month' ? Month : Week
  return (
    <Stack gap="sm">
      <Toolbar {...{ day, extent, today, go }} />
      <Loaded query={query} what="The calendar" skeleton={<SkeletonRows count={6} height={96} />}>
        {({ events, truncated }) => (
          <>
            {truncated && <Alert color="yellow">There are too many runs to show all of them.</Alert>}
            <View
              dates={datesOf(start, end)}
              days={byDay(events, zone)}
              day={day}
              today={today}
              choose={(next) => go({ day: next })}
            />
          </>
        )}
      </Loaded>
    </Stack>
  )
}

/** The day and the extent of the address, and how to change them. */
function usePlace() {
  const zone = useZone()
  const [, navigate] = useLocation()
  const search = new URLSearchParams(useSearch())
  const today = dayOf(Date.now(), zone)
  const extent: Extent = search.get('by') === 'week' ? 'week' : 'month'
  const given = search.get('day') ?? ''
  const day = /^\d{4}-\d\d-\d\d$/.test(given) && !Number.isNaN(Date.parse(given)) ? given : today
  const go = (to: { day?: string; by?: Extent }) =>
    navigate(`/scheduler/calendar?${new URLSearchParams({ day, by: extent, ...to })}`)
  return { zone, today, extent, day, go }
}

function datesOf(start: string, end: string): string[] {
  const dates: string[] = []
  for (let day = start; day < end; day = addDays(day, 1)) dates.push(day)
  return dates
}

const byDay = (events: readonly CalendarEvent[], zone: string): Days =>
  Map.groupBy(
    events.toSorted((left, right) => left.at.localeCompare(right.at)),
    ({ at }) => dayOf(Date.parse(at), zone),
  )

interface ToolbarProps {
  day: string
  extent: Extent
  today: string
  go: (to: { day?: string; by?: Extent }) => void
}

const steps = [
  { name: 'Previous', by: -1, icon: IconChevronLeft },
  { name: 'Next', by: 1, icon: IconChevronRight },
] as const

const Toolbar = ({ day, extent, today, go }: ToolbarProps) => (
  <Group justify="space-between">
    <Group gap="xs">
      {steps.map(({ name, by, icon }) => (
        <IconButton
          key={name}
          label={`${name} ${extent}`}
          icon={icon}
          variant="default"
          onClick={() => go({ day: stepped(day, extent, by) })}
        />
      ))}
      <SmallButton size="compact-sm" onClick={() => go({ day: today })}>
        Today
      </SmallButton>
      <Text component="h2" fw={600} aria-live="polite">
        {titleOf(day, extent)}
      </Text>
    </Group>
    <SegmentedControl
      aria-label="Period"
      size="xs"
      data={[
        { value: 'month', label: 'Month' },
        { value: 'week', label: 'Week' },
      ]}
      value={extent}
      onChange={(by) => go({ by: by as Extent })}
    />
  </Group>
)

interface ViewProps {
  dates: readonly string[]
  days: Days
  /** The chosen one. */
  day: string
  today: string
  choose: (day: string) => void
}

const Week = ({ dates, days, today }: ViewProps) => (
  <div className={classes.week}>
    {dates.map((day) => (
      <DayPanel key={day} day={day} events={days.get(day) ?? []} today={day === today} />
    ))}
  </div>
)

const Month = ({ dates, days, day: chosen, today, choose }: ViewProps) => (
  <>
    <SimpleGrid cols={7} spacing={0} fz="xs" c="dimmed" aria-hidden>
      {dates.slice(0, 7).map((day) => (
        <Box key={day} px={{ base: '0.2rem', sm: '0.5rem' }}>
          {format(day, { weekday: 'short' })}
        </Box>
      ))}
    </SimpleGrid>
    <ol className={`plain ${classes.month}`}>
      {dates.map((day) => (
        <li key={day}>
          <button
            type="button"
            className={classes.day}
            aria-pressed={day === chosen}
            aria-current={day === today ? 'date' : undefined}
            data-outside={day.slice(0, 7) !== chosen.slice(0, 7) || undefined}
            onClick={() => choose(day)}
          >
            <span aria-hidden className={classes.number}>
              {Number(day.slice(8))}
            </span>
            <VisuallyHidden>
              {longDay(day)}, {counted(runsOf(days.get(day)), 'run', 'runs')}
            </VisuallyHidden>
            <JobsOfDay events={days.get(day) ?? []} />
          </button>
        </li>
      ))}
    </ol>
    <ChosenDay day={chosen} />
  </>
)

const runsOf = (events: readonly CalendarEvent[] = []) => events.reduce((sum, { count }) => sum + count, 0)

/** The month only counts per day; the chosen day is shown by hour. */
function ChosenDay({ day }: { day: string }) {
  const span = { start: day, end: addDays(day, 1), tz: useZone() }
  const query = useEndpoint('/api/scheduler/calendar-data', { query: { ...span, group: 'hour' } })
  return (
    <Loaded query={query} what="This day" skeleton={<SkeletonRows count={2} />}>
      {({ events }) => <DayPanel day={day} events={events} />}
    </Loaded>
  )
}

/** Jobs that fit into a day of the month. */
const maxJobs = 3

/** For sighted users only: the button's label says how many runs there are. */
function JobsOfDay({ events }: { events: readonly CalendarEvent[] }) {
  // Of a job's events, only the most important is kept: a failure, else a missed run, else any other.
  const ranked = events.toSorted((left, right) => rankOf(left) - rankOf(right))
  const jobs = [...new Map(ranked.map((event) => [event.job_id, event])).values()]
  return (
    <span aria-hidden className={classes.inside}>
      {jobs.slice(0, maxJobs).map(({ job_id, name, status }) => (
        <span key={job_id} className={`truncate ${classes.event} ${shared.marked}`} data-status={status}>
          <StatusIcon status={status} />
          <span className={classes.text}>{name}</span>
        </span>
      ))}
      {jobs.length > maxJobs && <span className={classes.more}>+{jobs.length - maxJobs}</span>}
    </span>
  )
}

/** Statuses differ by icon, not only by color. */
const icons: Record<string, typeof IconCheck> = {
  planned: IconClock,
  queued: IconClock,
  running: IconPlayerPlay,
  succeeded: IconCheck,
  failed: IconX,
  timed_out: IconX,
  lost: IconX,
  cancelled: IconX,
}

const rankOf = ({ status }: CalendarEvent) =>
  /^(?:failed|timed_out|lost)$/.test(status) ? 2 : /^(?:missed|skipped)$/.test(status) ? 1 : 0

function StatusIcon({ status }: { status: string }) {
  const Icon = icons[status] ?? IconAlertTriangle
  return <Icon size={12} className={classes.icon} aria-hidden />
}

interface DayPanelProps {
  day: string
  events: readonly CalendarEvent[]
  today?: boolean
}

/** Lines of a day that are shown before a click expands it. */
const maxLines = 30

function DayPanel({ day, events, today }: DayPanelProps) {
  const [all, setAll] = useState(false)
  return (
    <section className={`card ${classes.panel}`} aria-label={longDay(day)} data-today={today || undefined}>
      <Text component="h3" fw={600} size="sm" mb={4}>
        {longDay(day)}
      </Text>
      {events.length === 0 && <Hint>No runs</Hint>}
      <Stack component="ul" className="plain" gap={3}>
        {events.slice(0, all ? undefined : maxLines).map((event) => (
          <li key={`${event.run_id ?? event.job_id} ${event.at} ${event.status}`}>
            <Entry event={event} />
          </li>
        ))}
      </Stack>
      {events.length > maxLines && !all && (
        <SmallButton size="compact-xs" variant="subtle" onClick={() => setAll(true)}>
          Show {events.length - maxLines} more
        </SmallButton>
      )}
    </section>
  )
}

function Entry({ event: { job_id, run_id, at, name, status, count } }: { event: CalendarEvent }) {
  const timeZone = useZone()
  const time = new Intl.DateTimeFormat(locale(), { hour: '2-digit', minute: '2-digit', timeZone })
  const label = runLabels[status as RunStatus]?.label ?? 'Planned'
  return (
    <Link
      href={run_id ? `/scheduler/${job_id}/${run_id}` : `/scheduler/${job_id}`}
      className={`${classes.entry} ${shared.marked}`}
      data-status={status}
    >
      <StatusIcon status={status} />
      <time dateTime={at}>{time.format(new Date(at))}</time> <span>{name}</span>
      <span className={classes.status}>
        {count > 1 ? `${label}, ${counted(count, 'run', 'runs')} in this hour` : label}
      </span>
    </Link>
  )
}

const format = (day: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' }).format(new Date(`${day}T00:00Z`))

const longDay = (day: string) => format(day, { weekday: 'long', day: 'numeric', month: 'long' })

const titleOf = (day: string, extent: Extent): string =>
  extent === 'month'
    ? format(day, { month: 'long', year: 'numeric' })
    : `Week of ${format(spanOf(day, 'week').start, { day: 'numeric', month: 'long', year: 'numeric' })}`
