import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlayerStop } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Message } from '../../../../runtime/chat/schema.ts'
import { errorWords } from '../state/error-words.ts'
import classes from './thread.module.css'

interface EndingProps {
  error: NonNullable<Message['error']>
  /** Absent where there is nothing to try again: an older answer. */
  retry?: (() => void) | undefined
  goOn?: (() => void) | undefined
}

/** Why an answer is not whole, in plain words, and the ways on. */
export function Ending({ error, retry, goOn }: EndingProps) {
  if (error.code === 'cancelled' || error.code === 'interrupted')
    return <Cut error={error} retry={retry} goOn={goOn} />
  const { title, hint, link } = errorWords(error.code)
  return (
    <Alert
      role="alert"
      color="red"
      variant="default"
      className={classes.failed}
      my="sm"
      title={title}
      icon={<IconAlertTriangle size={18} />}
    >
      <Text size="sm">{hint}</Text>
      {error.message && (
        <Text size="xs" c="dimmed" mt={4}>
          {error.message} <span className="mono">({error.code})</span>
        </Text>
      )}
      <Group gap="xs" mt="xs">
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Retry
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

/** No failure: somebody stopped it, or the daemon did. One quiet line. */
function Cut({ error, retry, goOn }: EndingProps) {
  const { title, hint } = errorWords(error.code)
  return (
    <div className={classes.cut} role="note">
      <IconPlayerStop size={16} aria-hidden />
      <span>
        <strong>{title}</strong> · {hint}
      </span>
      {goOn && (
        <Button size="compact-xs" variant="default" onClick={goOn}>
          Continue
        </Button>
      )}
      {retry && (
        <Button size="compact-xs" variant="default" onClick={retry}>
          Regenerate
        </Button>
      )}
    </div>
  )
}
