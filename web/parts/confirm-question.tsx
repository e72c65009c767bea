import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ConfirmByNameProps } from './confirm-by-name.tsx'

/** The dialog of `ConfirmByName`. */
export function Question({
  name,
  what,
  verb = 'Delete',
  effect,
  run,
  close,
}: Omit<ConfirmByNameProps, 'children'> & { close: () => void }) {
  const [typed, setTyped] = useState('')
  const matches = typed.trim() === name
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React passes the event on to a form that contains the button, although the dialog is outside of it.
    event.stopPropagation()
    if (matches) run.mutate(undefined, { onSettled: close })
  }
  return (
    <Modal opened onClose={close} title={`${verb} this ${what}?`}>
      <Stack component="form" onSubmit={submit}>
        {effect && <Text size="sm">{effect}</Text>}
        <TextInput
          data-autofocus
          label={`Type “${name}” to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={!matches} loading={run.isPending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
