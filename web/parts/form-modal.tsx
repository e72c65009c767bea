import { Button, Group, Modal, Stack } from '@mantine/core'
import type { KeyboardEvent, ReactNode } from 'react'

interface FormModalProps {
  title: string
  /** Label of the button that submits. */
  verb: string
  submit: () => void
  close: () => void
  closeLabel?: string
  isPending?: boolean
  disabled?: boolean
  onKeyDown?: (event: KeyboardEvent) => void
  /** It deletes something. */
  danger?: boolean
  /** For a wide content. */
  size?: 'lg'
  children?: ReactNode
}

/** A dialog with a few fields, or a question, and the buttons cancel and submit. */
export const FormModal = ({ title, verb, submit, close, children, ...props }: FormModalProps) => (
  <Modal opened onClose={close} title={title} {...(props.size && { size: props.size })}>
    <Stack
      component="form"
      {...(props.onKeyDown && { onKeyDown: props.onKeyDown })}
      onSubmit={(event) => {
        event.preventDefault()
        // React passes the event on to a form that contains the button, although the dialog is outside of it.
        event.stopPropagation()
        if (!props.disabled) submit()
      }}
    >
      {children}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {props.closeLabel ?? 'Cancel'}
        </Button>
        <Button
          type="submit"
          loading={props.isPending ?? false}
          disabled={props.disabled ?? false}
          {...(props.danger && { color: 'red.9' })}
        >
          {verb}
        </Button>
      </Group>
    </Stack>
  </Modal>
)
