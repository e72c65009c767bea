import { Fieldset, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Schedule } from '../../../api/scheduler.ts'
import { useZone } from '../../../parts/time.tsx'
import { AtFields } from './at-fields.tsx'
import { CronFields } from './cron-fields.tsx'
import { EveryFields } from './every-fields.tsx'
import { SchedulePreview } from './schedule-preview.tsx'
import { WordsFields } from './words-fields.tsx'
import { ZoneField } from './zone-field.tsx'

type Way = 'words' | Schedule['type']

const ways = [
  { value: 'words', label: 'Plain words' },
  { value: 'cron', label: 'Cron' },
  { value: 'every', label: 'Interval' },
  { value: 'at', label: 'Once' },
]

interface ScheduleFieldProps {
  value: Schedule | null
  /** What the plain words begin with. */
  words: string
  errors: Record<string, string>
  /** `touched` is false for what the form has filled in by itself. */
  change: (schedule: Schedule | null, touched?: boolean) => void
}

/** When it runs, in one of four ways, each with the next five times. */
export function ScheduleField({ value, words, errors, change }: ScheduleFieldProps) {
  const [way, setWay] = useState<Way>(value ? value.type : 'words')
  const home = useZone()
  const zone = value?.timezone ?? home
  const choose = (next: Way) => {
    setWay(next)
    if (next !== 'words' && next !== value?.type) change(startOf(next, zone))
  }
  const own = { errors, zone, change }
  return (
    <Fieldset legend="When" p="sm">
      <Stack gap="sm">
        <SegmentedControl
          aria-label="How to say when"
          data={ways}
          value={way}
          onChange={(next) => choose(next as Way)}
          fullWidth
          size="xs"
        />
        {way === 'words' && (
          <WordsFields
            words={words}
            change={change}
            choose={(schedule) => {
              change(schedule)
              setWay(schedule.type)
            }}
          />
        )}
        {way === 'cron' && value?.type === 'cron' && <CronFields value={value} {...own} />}
        {way === 'every' && value?.type === 'every' && <EveryFields value={value} {...own} />}
        {way === 'at' && value?.type === 'at' && <AtFields value={value} {...own} />}
        {way !== 'words' && value && (
          <>
            <ZoneField
              value={zone}
              error={errors['schedule.timezone']}
              change={(timezone) => change({ ...value, timezone })}
            />
            <SchedulePreview schedule={value} zone={zone} />
          </>
        )}
        {errors.schedule && (
          <Text size="xs" c="var(--mantine-color-error)">
            {errors.schedule}
          </Text>
        )}
      </Stack>
    </Fieldset>
  )
}

function startOf(type: Schedule['type'], timezone: string): Schedule {
  if (type === 'cron') return { type, expression: '0 9 * * 1-5', timezone }
  if (type === 'every') return { type, interval: 3_600, timezone }
  return { type, datetime: '', timezone }
}
