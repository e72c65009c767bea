import { Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Schedule } from '../../../api/scheduler.ts'

type Cron = Extract<Schedule, { type: 'cron' }>

interface CronFieldsProps {
  value: Cron
  errors: Record<string, string>
  change: (schedule: Schedule) => void
}

/** One expression a line: due is what any of them asks for. */
export function CronFields({ value, errors, change }: CronFieldsProps) {
  const { also: _, ...rest } = value
  const [text, setText] = useState([value.expression, ...(value.also ?? [])].join('\n'))
  const wrong = Object.entries(errors).find(([path]) => /^schedule\.(expression|also)/.test(path))
  const changed = (typed: string) => {
    setText(typed)
    const [expression = '', ...also] = typed
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
    change({ ...rest, expression, ...(also.length > 0 && { also }) })
  }
  return (
    <Textarea
      label="Cron expression"
      description="Minute, hour, day of month, month, weekday; one a line"
      autosize
      minRows={1}
      maxRows={6}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      error={wrong?.[1]}
      value={text}
      onChange={(event) => changed(event.currentTarget.value)}
    />
  )
}
