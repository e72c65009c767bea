import { Fieldset, Group, NumberInput, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import cronstrue from 'cronstrue'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Schedule } from '../../../runtime/schedules/schedule.ts'
import type { InputOf } from '../../api/client.ts'
import { readable } from '../../api/error.ts'
import { endpointQuery } from '../../api/query.ts'
import { parsedScheduleQuery, previewStaleTime } from '../../api/scheduler.ts'
import { useApi } from '../../app/services.tsx'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import { linesOf } from '../../parts/text.ts'
import { useZone } from '../../parts/time.tsx'
import { isInput } from '../../parts/tool-input.tsx'
import { NextTimes, ParsedSchedule } from './schedule.tsx'
import { fieldOf, isAbsolute, isoOf } from './zone.ts'

type Mode = 'text' | Schedule['type']

const modes = [
  { value: 'text', label: 'Plain English' },
  { value: 'cron', label: 'Cron' },
  { value: 'every', label: 'Interval' },
  { value: 'at', label: 'Once' },
]

/** Milliseconds without a key after which a schedule is checked. */
const pause = 300

interface ScheduleFieldProps extends Pick<FieldProps, 'value' | 'error' | 'errors'> {
  change: (schedule: Schedule | null) => void
  /** In plain English, at the start. */
  text?: string
}

const isSchedule = (value: unknown): value is Schedule =>
  isInput(value) && ['cron', 'every', 'at'].includes(String(value.type))

/** A schedule, entered in one of four formats, with a preview of the next five times. */
export function ScheduleField({ value, change, error, errors, text = '' }: ScheduleFieldProps) {
  // Null until the plain English text is parsed.
  const schedule = isSchedule(value) ? value : null
  const home = useZone()
  const zone = schedule?.timezone ?? home
  const [mode, setMode] = useState<Mode>(schedule && !text ? schedule.type : 'text')
  const choose = (next: Mode) => {
    setMode(next)
    if (next !== 'text' && next !== schedule?.type) change(initialOf(next, zone))
  }
  const own = { errors, zone, change }
  return (
    <Fieldset legend="Schedule" p="sm">
      <Stack gap="sm">
        <SegmentedControl
          aria-label="Schedule type"
          data={modes}
          value={mode}
          onChange={(next) => choose(next as Mode)}
          fullWidth
          size="xs"
        />
        {mode === 'text' && <TextFields initial={text} change={change} choose={setMode} />}
        {mode === 'cron' && schedule?.type === 'cron' && <CronFields value={schedule} {...own} />}
        {mode === 'every' && schedule?.type === 'every' && <EveryFields value={schedule} {...own} />}
        {mode === 'at' && schedule?.type === 'at' && <AtFields value={schedule} {...own} />}
        {mode !== 'text' && schedule && (
          <>
            <Select
              label="Time zone"
              data={[...new Set([zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]}
              value={zone}
              error={errors.timezone}
              searchable
              allowDeselect={false}
              limit={80}
              nothingFoundMessage="No matching time zone"
              onChange={(timezone) => timezone && change({ ...schedule, timezone })}
            />
            <Preview schedule={schedule} zone={zone} />
          </>
        )}
        {error && (
          <Text size="xs" c="var(--mantine-color-error)">
            {schedule ? error : 'Enter a schedule'}
          </Text>
        )}
      </Stack>
    </Fieldset>
  )
}

function initialOf(type: Schedule['type'], timezone: string): Schedule {
  if (type === 'cron') return { type, expression: '0 9 * * 1-5', timezone }
  if (type === 'every') return { type, interval: 3_600, timezone }
  return { type, datetime: '', timezone }
}

interface TextFieldsProps extends Pick<ScheduleFieldProps, 'change'> {
  initial: string
  /** Shows the fields of the schedule that was chosen. */
  choose: (type: Schedule['type']) => void
}

function TextFields({ initial, change, choose }: TextFieldsProps) {
  const [text, setText] = useState(initial)
  const [settled] = useDebouncedValue(text.trim(), pause)
  const parsed = useQuery(parsedScheduleQuery(useApi(), settled)).data?.schedule
  const understood = useEffectEvent(change)
  useEffect(() => {
    if (settled !== '') understood(parsed ?? null)
  }, [parsed, settled])
  return (
    <>
      <TextInput
        label="When to run"
        placeholder="every weekday at 9"
        autoComplete="off"
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <ParsedSchedule
        text={settled}
        choose={(schedule) => {
          change(schedule)
          choose(schedule.type)
        }}
      />
    </>
  )
}

interface FieldsProps<Type extends Schedule['type']> {
  value: Extract<Schedule, { type: Type }>
  zone: string
  errors: ScheduleFieldProps['errors']
  change: (schedule: Schedule) => void
}

function CronFields({ value, errors, change }: FieldsProps<'cron'>) {
  const { also: _, ...rest } = value
  const [text, setText] = useState([value.expression, ...(value.also ?? [])].join('\n'))
  const invalid = Object.entries(errors).find(([path]) => /^(expression|also)/.test(path))
  const changed = (typed: string) => {
    setText(typed)
    const [expression = '', ...also] = linesOf(typed)
    change({ ...rest, expression, ...(also.length > 0 && { also }) })
  }
  return (
    <Textarea
      label="Cron expression"
      description="Minute, hour, day of the month, month, weekday. Several expressions: one per line"
      autosize
      minRows={1}
      maxRows={6}
      spellCheck={false}
      classNames={{ input: 'mono' }}
      error={invalid?.[1]}
      value={text}
      onChange={(event) => changed(event.currentTarget.value)}
    />
  )
}

const units = [
  { value: '604800', label: 'weeks' },
  { value: '86400', label: 'days' },
  { value: '3600', label: 'hours' },
  { value: '60', label: 'minutes' },
  { value: '1', label: 'seconds' },
]

function EveryFields({ value, zone, errors, change }: FieldsProps<'every'>) {
  const [unit, setUnit] = useState(() => units.find((each) => value.interval % Number(each.value) === 0)?.value ?? '1')
  const size = Number(unit)
  const choose = (next: string) => {
    setUnit(next)
    change({ ...value, interval: Math.max(1, Math.round(value.interval / size)) * Number(next) })
  }
  return (
    <>
      <Group grow align="flex-start">
        <NumberInput
          label="Every"
          min={1}
          allowDecimal={false}
          error={errors.interval}
          value={Math.round(value.interval / size) || ''}
          onChange={(count) => change({ ...value, interval: Number(count) * size })}
        />
        <Select
          label="Unit"
          data={units}
          value={unit}
          allowDeselect={false}
          onChange={(next) => next && choose(next)}
        />
      </Group>
      <StartField value={value} zone={zone} errors={errors} change={change} />
    </>
  )
}

function StartField({ value: { starts_at, ...rest }, zone, errors, change }: FieldsProps<'every'>) {
  const start = (wall: string) => {
    const at = starts_at && isAbsolute(starts_at) ? isoOf(wall, zone) : wall
    change(wall ? { ...rest, starts_at: at } : rest)
  }
  return (
    <TextInput
      type="datetime-local"
      label="First run"
      description="Default: one interval from now"
      error={errors.starts_at}
      value={starts_at ? fieldOf(starts_at, zone) : ''}
      onChange={(event) => start(event.currentTarget.value)}
    />
  )
}

/** The typed time has no offset, so it is on the wall clock of the zone below. */
const AtFields = ({ value, zone, errors, change }: FieldsProps<'at'>) => (
  <TextInput
    type="datetime-local"
    label="Date and time"
    required
    error={errors.datetime}
    value={fieldOf(value.datetime, zone)}
    onChange={(event) => change({ ...value, datetime: event.currentTarget.value })}
  />
)

/** The meaning of a cron expression and the next five times of a schedule, or what is wrong with it. */
function Preview({ schedule, zone }: { schedule: Schedule; zone: string }) {
  const api = useApi()
  const [settled] = useDebouncedValue(schedule, pause)
  const results = useQueries({
    queries: validationsOf(settled, zone).map((query) => ({
      ...endpointQuery(api, '/api/scheduler/validate', { query }, { staleTime: previewStaleTime }),
      enabled: Boolean(query.value),
      placeholderData: keepPreviousData,
    })),
  })
  const failed = results.find(({ isError }) => isError)
  const problem = failed ? readable(failed.error) : results.find(({ data }) => data?.valid === false)?.data?.error
  if (problem)
    return (
      <Text size="sm" c="var(--mantine-color-error)" role="status">
        {problem}
      </Text>
    )
  const times = new Set(results.flatMap(({ data }) => data?.next_runs ?? []))
  return (
    <Stack gap={6} mih={52}>
      {times.size > 0 && settled.type === 'cron' && (
        <Text size="sm" fw={550} role="status">
          {expressionsOf(settled).map(cronText).join('; ')}
        </Text>
      )}
      <NextTimes times={[...times].toSorted().slice(0, 5)} zone={zone} label="Next five times" />
    </Stack>
  )
}

const expressionsOf = ({ expression, also = [] }: Extract<Schedule, { type: 'cron' }>) => [expression, ...also]

type Validation = NonNullable<InputOf<'GET', '/api/scheduler/validate'>['query']>

function validationsOf(schedule: Schedule, timezone: string): Validation[] {
  if (schedule.type === 'cron') return expressionsOf(schedule).map((value) => ({ type: 'cron', value, timezone }))
  if (schedule.type === 'at') return [{ type: 'at', value: schedule.datetime, timezone }]
  return [{ type: 'every', value: String(schedule.interval), timezone, starts_at: schedule.starts_at }]
}

/** An expression that only the daemon's cron dialect supports is shown unchanged. */
function cronText(expression: string): string {
  try {
    return cronstrue.toString(expression, { use24HourTimeFormat: true })
  } catch {
    return expression
  }
}
