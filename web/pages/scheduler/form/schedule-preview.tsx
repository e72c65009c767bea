import { Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQueries } from '@tanstack/react-query'
import type { Query } from '../../../api/client.ts'
import { readable } from '../../../api/error.ts'
import { type Schedule, validateQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { describe } from '../schedule/describe.ts'
import { NextTimes } from '../schedule/next-times.tsx'

const pause = 300
const shown = 5

/** What a schedule means and its next five times, or what is wrong with it. */
export function SchedulePreview({ schedule, zone }: { schedule: Schedule; zone: string }) {
  const api = useApi()
  const [settled] = useDebouncedValue(schedule, pause)
  const found = useQueries({
    queries: asked(settled, zone).map((query) => ({
      ...validateQuery(api, query),
      enabled: Boolean(query.value),
      placeholderData: keepPreviousData,
    })),
  })
  const failed = found.find(({ isError }) => isError)
  const problem = failed
    ? readable(failed.error)
    : found.find(({ data }) => data?.valid === false)?.data?.error
  if (problem)
    return (
      <Text size="sm" c="var(--mantine-color-error)" role="status">
        {problem}
      </Text>
    )
  const times = found.flatMap(({ data }) => data?.next_runs ?? [])
  return (
    <Stack gap={6} mih={52}>
      {times.length > 0 && (
        <Text size="sm" fw={550} role="status">
          {describe(settled)}
        </Text>
      )}
      <NextTimes
        times={[...new Set(times)].toSorted().slice(0, shown)}
        zone={zone}
        what="The next five times"
      />
    </Stack>
  )
}

/** Each of several cron expressions is asked for by itself. */
function asked(schedule: Schedule, timezone: string): Query[] {
  if (schedule.type === 'cron')
    return [schedule.expression, ...(schedule.also ?? [])].map((value) => ({ type: 'cron', value, timezone }))
  if (schedule.type === 'at') return [{ type: 'at', value: schedule.datetime, timezone }]
  return [{ type: 'every', value: schedule.interval, timezone, starts_at: schedule.starts_at }]
}
