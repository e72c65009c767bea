import { Button, Group, Textarea } from '@mantine/core'
import { useState } from 'react'
import { pretty } from '../pretty.ts'
import classes from './approval.module.css'
import { editedInput } from './edited-input.ts'

interface EditInputProps {
  input: unknown
  pending: boolean
  approve: (input: Record<string, unknown>) => void
  cancel: () => void
}

export function EditInput({ input, pending, approve, cancel }: EditInputProps) {
  const [text, setText] = useState(() => pretty(input))
  const checked = editedInput(text)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (checked.ok) approve(checked.value)
      }}
    >
      <Textarea
        label="Input (JSON)"
        className={classes.editor}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={checked.ok ? null : checked.reason}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        autoFocus
      />
      <Group gap="xs" mt="xs">
        <Button type="submit" size="xs" disabled={!checked.ok} loading={pending}>
          Approve with this input
        </Button>
        <Button size="xs" variant="default" onClick={cancel}>
          Back
        </Button>
      </Group>
    </form>
  )
}
