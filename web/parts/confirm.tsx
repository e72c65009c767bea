import { ActionIcon, Button, Group, Popover, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { type ReactElement, type ReactNode, useState } from 'react'
import type { ActionButtonProps } from './action-button.tsx'
import { SmallButton } from './buttons.tsx'
import { type Run, useRun } from './use-change.ts'

interface ConfirmProps {
  question: ReactNode
  /** Label of the confirming button, such as "Delete". */
  verb: string
  confirm: () => void
  /** The button that opens the question. */
  children: (toggle: () => void) => ReactElement
}

/**
 * A confirmation next to the pressed button. For what can be restored or recreated; otherwise see
 * `ConfirmByName`.
 */
export function Confirm({ question, verb, confirm, children }: ConfirmProps) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus withRoles>
      <Popover.Target>{children(() => setOpened(!opened))}</Popover.Target>
      <Popover.Dropdown maw={300}>
        <Stack gap="sm">
          <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
            {question}
          </Text>
          <Group justify="flex-end" gap="xs">
            <SmallButton data-autofocus onClick={() => setOpened(false)}>
              Cancel
            </SmallButton>
            <Button
              size="xs"
              color="red"
              data-writes
              onClick={() => {
                setOpened(false)
                confirm()
              }}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

interface ConfirmButtonProps<Result> extends ActionButtonProps<Result> {
  question: ReactNode
  /** Label of the confirming button. */
  verb: string
}

/** A button that asks for confirmation before it runs a mutation. */
export function ConfirmButton<Result>({ question, verb, run, done, ...button }: ConfirmButtonProps<Result>) {
  const { mutate, isPending } = useRun(run, done)
  return (
    <Confirm question={question} verb={verb} confirm={() => mutate()}>
      {(toggle) => <SmallButton loading={isPending} onClick={toggle} {...button} />}
    </Confirm>
  )
}

interface DeleteButtonProps {
  /** The name that the question shows and screen readers read. */
  what: string
  remove: Run
  done?: () => unknown
}

/** A delete button that asks for confirmation. */
export function DeleteButton({ what, remove, done }: DeleteButtonProps) {
  const { mutate, isPending } = useRun(remove, done)
  return (
    <Confirm
      question={
        <>
          Delete <b>{what}</b>? This cannot be undone.
        </>
      }
      verb="Delete"
      confirm={() => mutate()}
    >
      {(toggle) => (
        <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${what}`} loading={isPending} onClick={toggle}>
          <IconTrash size={17} />
        </ActionIcon>
      )}
    </Confirm>
  )
}
