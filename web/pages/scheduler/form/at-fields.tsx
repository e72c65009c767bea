import { TextInput } from '@mantine/core'
import type { Schedule } from '../../../api/scheduler.ts'
import { wallOf } from '../schedule/wall-clock.ts'

type At = Extract<Schedule, { type: 'at' }>

interface AtFieldsProps {
  value: At
  zone: string
  errors: Record<string, string>
  change: (schedule: Schedule) => void
}

/** What is typed has no offset, so that it means the wall clock of the zone below. */
export function AtFields({ value, zone, errors, change }: AtFieldsProps) {
  const absolute = /(?:Z|[+-]\d\d:?\d\d)$/i.test(value.datetime)
  return (
    <TextInput
      type="datetime-local"
      label="Date and time"
      required
      error={errors['schedule.datetime']}
      value={
        absolute ? wallOf(Date.parse(value.datetime), zone) : value.datetime.replace(' ', 'T').slice(0, 16)
      }
      onChange={(event) => change({ ...value, datetime: event.currentTarget.value })}
    />
  )
}
