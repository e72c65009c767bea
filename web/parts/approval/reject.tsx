import { Button, Group, Textarea } from '@mantine/core'
import { useState } from 'react'

interface RejectProps {
  pending: boolean
  reject: (reason: string) => void
  cancel: () => void
}

export function Reject({ pending, reject, cancel }: RejectProps) {
  const [reason, setReason] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        reject(reason.trim())
      }}
    >
      <Textarea
        label="Why not? (the agent reads it; may be empty)"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={2_000}
        autosize
        minRows={1}
        maxRows={6}
        autoFocus
      />
      <Group gap="xs" mt="xs">
        <Button type="submit" size="xs" color="red.9" loading={pending}>
          Reject
        </Button>
        <Button size="xs" variant="default" onClick={cancel}>
          Back
        </Button>
      </Group>
    </form>
  )
}
