import { ActionIcon, Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useSearch } from 'wouter'
import { calendarQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { useZone } from '../../../parts/time.tsx'
import { addDays, dayOf } from '../schedule/wall-clock.ts'
import { byDay, type Extent, spanOf, stepped, titleOf } from './days.ts'
import { Month } from './month.tsx'
import { Week } from './week.tsx'

/** What was due and what is to come; the address names the day and the extent. */
export function CalendarView() {
  const zone = useZone()
  const [, navigate] = useLocation()
  const search = new URLSearchParams(useSearch())
  const today = dayOf(Date.now(), zone)
  const extent: Extent = search.get('by') === 'week' ? 'week' : 'month'
  const named = search.get('day') ?? ''
  const day = /^\d{4}-\d\d-\d\d$/.test(named) && !Number.isNaN(Date.parse(named)) ? named : today
  const { start, end } = spanOf(day, extent)
  const query = useQuery(calendarQuery(useApi(), { start, end, tz: zone }))
  const go = (to: { day?: string; by?: Extent }) =>
    navigate(`/scheduler/calendar?${new URLSearchParams({ day, by: extent, ...to })}`)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <ActionIcon
            variant="default"
            aria-label={`The ${extent} before`}
            onClick={() => go({ day: stepped(day, extent, -1) })}
          >
            <IconChevronLeft size={16} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            aria-label={`The next ${extent}`}
            onClick={() => go({ day: stepped(day, extent, 1) })}
          >
            <IconChevronRight size={16} />
          </ActionIcon>
          <Button size="compact-sm" variant="default" onClick={() => go({ day: today })}>
            Today
          </Button>
          <Text component="h2" fw={600} aria-live="polite">
            {titleOf(day, extent)}
          </Text>
        </Group>
        <SegmentedControl
          aria-label="Extent"
          size="xs"
          data={[
            { value: 'month', label: 'Month' },
            { value: 'week', label: 'Week' },
          ]}
          value={extent}
          onChange={(by) => go({ by: by as Extent })}
        />
      </Group>
      <Loaded query={query} what="The calendar" skeleton={<SkeletonRows count={6} height={96} />}>
        {({ events, truncated }) => {
          const days = byDay(events, zone)
          return (
            <>
              {truncated && (
                <Alert variant="light" color="yellow">
                  There is more than can be shown: jobs that run very often are cut off. Look at a week.
                </Alert>
              )}
              {extent === 'month' ? (
                <Month
                  start={start}
                  end={end}
                  month={day.slice(0, 7)}
                  chosen={day}
                  today={today}
                  days={days}
                  choose={(next) => go({ day: next })}
                />
              ) : (
                <Week
                  days={days}
                  today={today}
                  dates={Array.from({ length: 7 }, (_, index) => addDays(start, index))}
                />
              )}
            </>
          )
        }}
      </Loaded>
    </Stack>
  )
}
