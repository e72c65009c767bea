import { Alert, Badge, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ApiError, readable } from '../../api/error.ts'
import { useDesk } from './desk.tsx'

/** Why something could not be done, and what would help. */
export function FailureNote() {
  const { failure, forgetFailure, live } = useDesk()
  if (failure) {
    const known = failure instanceof ApiError ? failure : null
    return <Note code={known?.code} message={readable(failure)} hint={known?.hint} close={forgetFailure} />
  }
  const { refused, stream } = live
  if (refused && refused.code !== 'dialog_open')
    return <Note code={refused.code} message={refused.message} close={() => stream.forgetRefusal()} />
  return null
}

interface NoteProps {
  code: string | undefined
  message: string
  hint?: string | null | undefined
  close: () => void
}

const Note = ({ code, message, hint, close }: NoteProps) => (
  <Alert
    role="alert"
    color="red"
    variant="light"
    w="100%"
    ta="left"
    icon={<IconAlertTriangle size={18} />}
    withCloseButton
    closeButtonLabel="Dismiss"
    onClose={close}
    title={
      <Group gap="xs">
        That did not work
        {code && (
          <Badge size="sm" variant="default" ff="monospace">
            {code}
          </Badge>
        )}
      </Group>
    }
  >
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {message}
    </Text>
    {hint && (
      <Text size="sm" c="dimmed" mt={2} style={{ overflowWrap: 'anywhere' }}>
        {hint}
      </Text>
    )}
  </Alert>
)
