import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSparkles } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import type { Schedule } from '../../../api/scheduler.ts'
import { newJobPath } from '../form/new-job-path.ts'
import { Reading } from '../schedule/reading.tsx'
import { splitWords } from '../schedule/split-words.ts'
import classes from '../scheduler.module.css'

/** Milliseconds without a key after which the words are read. */
const pause = 300

/** "every weekday at 9: summarise my inbox" in one line; Enter opens the form with it. */
export function WordsBar() {
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text, pause)
  const [, navigate] = useLocation()
  const { when, what } = splitWords(text)
  const open = (schedule?: Schedule) => navigate(newJobPath({ when, what, ...(schedule && { schedule }) }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (when) open()
  }
  return (
    <Stack component="form" gap="xs" mb="lg" onSubmit={submit}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <TextInput
          className="grow"
          size="md"
          aria-label="When, and what to do"
          placeholder="every weekday at 9: summarise my inbox"
          leftSection={<IconSparkles size={18} />}
          autoComplete="off"
          maxLength={4_000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" size="md" variant="light" disabled={!when}>
          Schedule
        </Button>
      </Group>
      <div className={classes.reading}>
        <Reading text={splitWords(settled).when} choose={open} />
      </div>
    </Stack>
  )
}
