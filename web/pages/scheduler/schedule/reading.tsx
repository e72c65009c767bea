import { Alert, Badge, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { readable } from '../../../api/error.ts'
import { type Schedule, wordsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import classes from '../scheduler.module.css'
import { describe } from './describe.ts'
import { NextTimes, Zone } from './next-times.tsx'

interface ReadingProps {
  /** When, in plain words; not yet what is still being typed. */
  text: string
  /** Takes another reading of the words. */
  choose: (schedule: Schedule) => void
}

/** How words are understood: the schedule, its zone, its next five times, and what else they may mean. */
export function Reading({ text, choose }: ReadingProps) {
  const api = useApi()
  const query = useQuery({ ...wordsQuery(api, text), placeholderData: keepPreviousData })
  if (text === '') return null
  if (query.isError)
    return (
      <Text size="sm" c="var(--mantine-color-error)" role="status">
        {readable(query.error)}
      </Text>
    )
  if (!query.data) return null
  const { human_readable, timezone, next_runs, alternatives, warnings, confidence } = query.data
  return (
    <Stack gap={6} style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
      <Group gap="xs" role="status">
        <Text size="sm" fw={550}>
          {human_readable}
        </Text>
        <Zone zone={timezone} />
        {confidence < 0.8 && (
          <Badge size="sm" variant="light" color="yellow">
            Is that what you mean?
          </Badge>
        )}
      </Group>
      <NextTimes times={next_runs} zone={timezone} what="The next five times" />
      {warnings.map((warning) => (
        <Alert key={warning} variant="light" color="yellow" py={4} px="sm">
          {warning}
        </Alert>
      ))}
      {alternatives.length > 0 && (
        <Group gap={6}>
          <Text size="xs" c="dimmed">
            Or do you mean
          </Text>
          {alternatives.map((other) => (
            <UnstyledButton
              key={JSON.stringify(other.schedule)}
              className={classes.time}
              onClick={() => choose(other.schedule)}
            >
              {other.human_readable || describe(other.schedule)}
            </UnstyledButton>
          ))}
        </Group>
      )}
    </Stack>
  )
}
