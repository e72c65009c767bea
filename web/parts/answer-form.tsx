import { Button, Group, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { SmallButton } from './buttons.tsx'

interface AnswerFormProps {
  /** Answers that are one click. */
  options?: readonly string[]
  /** Whether any text is an answer. */
  free?: boolean
  /** Whether an empty text can be sent. */
  optional?: boolean
  /** Placeholder and name of the field. */
  label?: string
  verb?: string
  answer: { mutate(text: string, options?: { onSuccess(): void }): void; isPending: boolean }
}

/** Answers a question of an agent, in place. */
export function AnswerForm({
  options = [],
  free = true,
  optional = false,
  label = 'Your answer',
  verb = 'Answer',
  answer,
}: AnswerFormProps) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (optional || text.trim()) answer.mutate(text.trim(), { onSuccess: () => setText('') })
  }
  return (
    <>
      {options.length > 0 && (
        <Group gap="xs" my="xs">
          {options.map((option) => (
            <SmallButton key={option} variant="light" disabled={answer.isPending} onClick={() => answer.mutate(option)}>
              {option}
            </SmallButton>
          ))}
        </Group>
      )}
      {free && (
        <Group component="form" onSubmit={submit} gap="xs" align="flex-end" wrap="nowrap">
          <Textarea
            className="grow"
            aria-label={label}
            placeholder={label}
            autosize
            minRows={1}
            maxRows={8}
            maxLength={10_000}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" disabled={!optional && !text.trim()} loading={answer.isPending}>
            {verb}
          </Button>
        </Group>
      )}
    </>
  )
}
