import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'

export interface ConfirmByNameProps {
  /** The name that must be typed. */
  name: string
  /** "agent", "user". */
  what: string
  /** "Delete", "Revoke". */
  verb?: string
  /** What happens then. */
  effect?: ReactNode
  run: { mutate(input: undefined, options: { onSettled(): void }): void; isPending: boolean }
  /** The button that opens the question. */
  children: (ask: () => void) => ReactNode
}

/** Asks to type the name of what cannot be restored, then runs a mutation. */
export function ConfirmByName(props: ConfirmByNameProps) {
  const { what, verb = 'Delete', children } = props
  const [asked, setAsked] = useState(false)
  const close = () => setAsked(false)
  return (
    <>
      {children(() => setAsked(true))}
      <Modal opened={asked} onClose={close} title={`${verb} this ${what}?`}>
        {asked && <Question {...props} close={close} />}
      </Modal>
    </>
  )
}

function Question({ name, verb = 'Delete', effect, run, close }: ConfirmByNameProps & { close: () => void }) {
  const [typed, setTyped] = useState('')
  const matches = typed.trim() === name
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React passes the event on to a form that contains the button, although the dialog is outside of it.
    event.stopPropagation()
    if (matches) run.mutate(undefined, { onSettled: close })
  }
  return (
    <Stack gap="md" component="form" onSubmit={submit}>
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
  )
}
