import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlayerStop } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Message } from '../../../../runtime/chat/schema.ts'
import { errorWords } from '../state/error-words.ts'

interface EndingProps {
  error: NonNullable<Message['error']>
  /** Absent where there is nothing to try again: an older answer. */
  retry?: (() => void) | undefined
  goOn?: (() => void) | undefined
}

/** Why an answer is not whole, in plain words, and the ways on. */
export function Ending({ error, retry, goOn }: EndingProps) {
  const { title, hint, link } = errorWords(error.code)
  const cut = error.code === 'cancelled' || error.code === 'interrupted'
  return (
    <Alert
      role={cut ? 'note' : 'alert'}
      color={cut ? 'gray' : 'red'}
      variant="light"
      my="sm"
      title={title}
      icon={cut ? <IconPlayerStop size={18} /> : <IconAlertTriangle size={18} />}
    >
      <Text size="sm">{hint}</Text>
      {!cut && error.message && (
        <Text size="xs" c="dimmed" mt={4}>
          {error.message} <span className="mono">({error.code})</span>
        </Text>
      )}
      <Group gap="xs" mt="xs">
        {cut && goOn && (
          <Button size="xs" variant="default" onClick={goOn}>
            Continue
          </Button>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {cut ? 'Regenerate' : 'Retry'}
          </Button>
        )}
        {link && (
          <Button size="xs" variant="subtle" component={Link} href={link.to}>
            {link.label}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
