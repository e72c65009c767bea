import { Group, NumberInput, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Schedule } from '../../../api/scheduler.ts'
import { instantOf, wallOf } from '../schedule/wall-clock.ts'

type Every = Extract<Schedule, { type: 'every' }>

interface EveryFieldsProps {
  value: Every
  zone: string
  errors: Record<string, string>
  change: (schedule: Schedule) => void
}

const units = [
  { value: '604800', label: 'weeks' },
  { value: '86400', label: 'days' },
  { value: '3600', label: 'hours' },
  { value: '60', label: 'minutes' },
  { value: '1', label: 'seconds' },
]

export function EveryFields({ value, zone, errors, change }: EveryFieldsProps) {
  const [unit, setUnit] = useState(
    () => units.find((each) => value.interval % Number(each.value) === 0)?.value ?? '1',
  )
  const { starts_at, ...rest } = value
  const size = Number(unit)
  const absolute = starts_at !== undefined && /(?:Z|[+-]\d\d:?\d\d)$/i.test(starts_at)
  const shown = absolute
    ? wallOf(Date.parse(starts_at), zone)
    : (starts_at?.replace(' ', 'T').slice(0, 16) ?? '')
  return (
    <Group grow align="flex-start">
      <NumberInput
        label="Every"
        min={1}
        allowDecimal={false}
        error={errors['schedule.interval']}
        value={Math.round(value.interval / size) || ''}
        onChange={(count) => change({ ...value, interval: Number(count) * size })}
      />
      <Select
        label="Unit"
        data={units}
        value={unit}
        allowDeselect={false}
        onChange={(next) => {
          if (!next) return
          setUnit(next)
          change({ ...value, interval: Math.max(1, Math.round(value.interval / size)) * Number(next) })
        }}
      />
      <TextInput
        type="datetime-local"
        label="First time"
        description="Empty: one interval from now"
        error={errors['schedule.starts_at']}
        value={shown}
        onChange={(event) => {
          const wall = event.currentTarget.value
          const at = absolute ? new Date(instantOf(wall, zone)).toISOString() : wall
          change(wall ? { ...rest, starts_at: at } : rest)
        }}
      />
    </Group>
  )
}
