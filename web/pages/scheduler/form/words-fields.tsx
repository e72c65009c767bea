import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { type Schedule, wordsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Reading } from '../schedule/reading.tsx'

interface WordsFieldsProps {
  words: string
  change: (schedule: Schedule | null, touched?: boolean) => void
  choose: (schedule: Schedule) => void
}

/** Milliseconds without a key after which the words are read. */
const pause = 300

export function WordsFields({ words, change, choose }: WordsFieldsProps) {
  const [text, setText] = useState(words)
  const [settled] = useDebouncedValue(text.trim(), pause)
  const query = useQuery(wordsQuery(useApi(), settled))
  const read = query.data?.schedule
  const tell = useEffectEvent((schedule: Schedule | null) => change(schedule, text !== words))
  // What is typed is a schedule only once the daemon has read it.
  useEffect(() => {
    if (settled !== '') tell(read ?? null)
  }, [read, settled])
  return (
    <>
      <TextInput
        label="In your own words"
        placeholder="every weekday at 9"
        autoComplete="off"
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Reading text={settled} choose={choose} />
    </>
  )
}
