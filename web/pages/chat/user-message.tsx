import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { announceError } from '../../parts/announce.ts'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FileChips } from '../../parts/files/chips.tsx'
import { MessageNumbers } from './assistant-message.tsx'
import type { ChatSession } from './state/session.ts'
import { filesOf, type ThreadMessage, textOf } from './state/thread.ts'
import classes from './thread.module.css'

interface UserMessageProps {
  session: ChatSession
  item: ThreadMessage
}

export function UserMessage({ session, item }: UserMessageProps) {
  const [editing, setEditing] = useState(false)
  const { message, pending } = item
  const text = textOf(message)
  const files = filesOf(message)
  if (editing) {
    const send = (changed: string) => session.resend(message.id, changed)
    return <EditMessage text={text} send={send} cancel={() => setEditing(false)} />
  }
  return (
    <Stack gap={0} align="flex-end">
      {files.length > 0 && (
        <div className={classes.files}>
          <FileChips files={files} />
        </div>
      )}
      <div className={classes.bubble} data-pending={pending}>
        {text}
      </div>
      <div className={classes.actions}>
        {pending === 'queued' ? (
          <Text span fz="xs" c="dimmed" px="0.35rem">
            Queued
          </Text>
        ) : (
          <MessageNumbers message={message} />
        )}
        <CopyButton value={text} what="message" />
        {!pending && (
          <IconButton
            label="Edit and send again"
            icon={IconPencil}
            className={classes.whenQuiet}
            onClick={() => setEditing(true)}
          />
        )}
      </div>
    </Stack>
  )
}

interface EditMessageProps {
  text: string
  /** Resolves when the daemon has stored it; this row is then removed. */
  send: (text: string) => Promise<void>
  cancel: () => void
}

function EditMessage({ text, send, cancel }: EditMessageProps) {
  const [changed, setChanged] = useState(text)
  const [sending, setSending] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!changed.trim() || sending) return
    setSending(true)
    // If sending fails, the field stays open.
    await send(changed).catch(announceError)
    setSending(false)
  }
  return (
    <form style={{ width: '100%' }} onSubmit={submit} onKeyDown={({ key }) => key === 'Escape' && cancel()}>
      <Textarea
        aria-label="Your message"
        description="Its answer and all later messages will be replaced."
        inputWrapperOrder={['input', 'description']}
        value={changed}
        onChange={(event) => setChanged(event.currentTarget.value)}
        autosize
        minRows={2}
        maxRows={14}
        autoFocus
      />
      <Group gap="xs" justify="flex-end" mt="xs">
        <SmallButton onClick={cancel} disabled={sending}>
          Cancel
        </SmallButton>
        <Button size="xs" type="submit" disabled={!changed.trim()} loading={sending}>
          Send
        </Button>
      </Group>
    </form>
  )
}
