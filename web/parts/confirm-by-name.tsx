import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface ConfirmByNameProps {
  /** What will be deleted; null keeps the dialog closed. */
  name: string | null
  /** "agent", "user". */
  what: string
  /** "Delete", "Revoke". */
  verb?: string
  children?: ReactNode
  pending?: boolean
  confirm: () => void
  close: () => void
}

/** Asks the person to type the name of what cannot be restored. */
export function ConfirmByName({
  name,
  what,
  verb = 'Delete',
  children,
  pending,
  confirm,
  close,
}: ConfirmByNameProps) {
  return (
    <Modal opened={name !== null} onClose={close} title={`${verb} this ${what}?`}>
      {name !== null && <Question key={name} {...{ name, what, verb, children, pending, confirm, close }} />}
    </Modal>
  )
}

function Question({
  name,
  verb = 'Delete',
  children,
  pending,
  confirm,
  close,
}: ConfirmByNameProps & { name: string }) {
  const [typed, setTyped] = useState('')
  const matches = typed.trim() === name
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (matches) confirm()
      }}
    >
      <Stack gap="md">
        {children && <Text size="sm">{children}</Text>}
        <TextInput
          data-autofocus
          label={`Type “${name}” to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Keep it
          </Button>
          <Button type="submit" color="red" disabled={!matches} loading={pending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
