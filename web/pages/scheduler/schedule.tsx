import { Alert, Badge, Flex, Group, Stack, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Schedule } from '../../../runtime/schedules/schedule.ts'
import { ApiError, fieldErrors, readable } from '../../api/error.ts'
import { askForSchedule, parsedScheduleQuery } from '../../api/scheduler.ts'
import { useApi } from '../../app/services.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { locale } from '../../parts/locale.ts'
import { exact } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import classes from './scheduler.module.css'

interface NextTimesProps {
  times: readonly string[]
  zone: string
  /** Name of the list for screen readers. */
  label: string
}

/** Days and times on the wall clock of `zone`; the exact time on hover. */
export function NextTimes({ times, zone, label }: NextTimesProps) {
  if (times.length === 0) return null
  return (
    <Flex component="ul" className="plain" wrap="wrap" gap="0.25rem 0.4rem" aria-label={label}>
      {times.map((at) => (
        <Tooltip key={at} label={exact(at, zone)}>
          <li className={classes.time}>
            <time dateTime={at}>{short(at, zone)}</time>
          </li>
        </Tooltip>
      ))}
    </Flex>
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

export const Zone = ({ zone }: { zone: string }) => (
  <Text span size="xs" c="dimmed">
    {zone.replaceAll('_', ' ')}
  </Text>
)

function AskModel({ text, split }: Pick<ParsedScheduleProps, 'text' | 'split'>) {
  const api = useApi()
  const queries = useQueryClient()
  const ask = useMutation({
    mutationFn: () => askForSchedule(api, queries, { text, ...(split !== undefined && { split }) }),
  })
  return (
    <SmallButton loading={ask.isPending} disabled={ask.isError} onClick={() => ask.mutate()}>
      {ask.isError ? 'The model does not understand it either' : 'Ask the model'}
    </SmallButton>
  )
}

interface ParsedScheduleProps {
  /** A schedule in plain English, once the person has stopped typing. */
  text: string
  /** The text may also say what to do. */
  split?: boolean
  /** Chooses another interpretation of the text. */
  choose: (schedule: Schedule) => void
}

/**
 * How the daemon interprets a text: the schedule, its zone, its next five times, and other possible meanings.
 */
export function ParsedSchedule({ text, split, choose }: ParsedScheduleProps) {
  const query = useQuery({ ...parsedScheduleQuery(useApi(), text, split), placeholderData: keepPreviousData })
  if (text === '') return null
  if (query.isError)
    return (
      <Group gap="xs">
        <Text size="sm" c="var(--mantine-color-error)" role="status">
          {fieldErrors(query.error).text ?? readable(query.error)}
        </Text>
        {query.error instanceof ApiError && query.error.code === 'ask_model' && <AskModel text={text} split={split} />}
      </Group>
    )
  if (!query.data) return null
  const { schedule, human_readable, timezone, next_runs, alternatives, warnings, confidence, goal } = query.data
  return (
    <Stack gap={6} style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
      {schedule && (
        <Group gap="xs" role="status">
          <Text size="sm" fw={550}>
            {human_readable}
          </Text>
          <Zone zone={timezone} />
          {confidence < 0.8 && <Badge color="yellow">Is this what you mean?</Badge>}
        </Group>
      )}
      <NextTimes times={next_runs} zone={timezone} label="Next five times" />
      {goal && <Hint>Task: {goal}</Hint>}
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" py={4} px="sm">
          {warning}
        </Alert>
      ))}
      {alternatives.length > 0 && (
        <Group gap={6}>
          <Hint>{schedule ? 'Or did you mean' : 'Did you mean'}</Hint>
          {alternatives.map((other) => (
            <UnstyledButton
              key={JSON.stringify(other.schedule)}
              className={classes.time}
              onClick={() => choose(other.schedule)}
            >
              {other.human_readable}
            </UnstyledButton>
          ))}
        </Group>
      )}
    </Stack>
  )
}
