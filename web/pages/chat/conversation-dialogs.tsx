import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import { whole } from '../../parts/numbers.ts'
import { ShareDialog } from '../../parts/share-dialog.tsx'

interface ConversationDialogsProps {
  dialog: 'rename' | 'share' | 'delete'
  conversation: Conversation
  rename: (title: string) => void
  share: (shared_with: string[]) => void
  remove: { mutate: (input: undefined, options: { onSettled: () => void }) => void; isPending: boolean }
  close: () => void
}

export function ConversationDialogs({
  dialog,
  conversation,
  rename,
  share,
  remove,
  close,
}: ConversationDialogsProps) {
  const { title, message_count } = conversation
  if (dialog === 'rename') return <Rename title={title} rename={rename} close={close} />
  if (dialog === 'share') {
    const text =
      'The people you choose can read this conversation and write in it. Its settings and approvals remain yours.'
    return (
      <ShareDialog
        title="Share conversation"
        text={text}
        shared_with={conversation.shared_with}
        share={share}
        close={close}
      />
    )
  }
  return (
    <Modal opened onClose={close} title={`Delete “${title}”?`}>
      <Text size="sm">
        {message_count > 0
          ? `Its ${whole(message_count)} messages are deleted too. This cannot be undone.`
          : 'This cannot be undone.'}
      </Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <Button
          color="red.9"
          loading={remove.isPending}
          onClick={() => remove.mutate(undefined, { onSettled: close })}
        >
          Delete
        </Button>
      </Group>
    </Modal>
  )
}

type RenameProps = Pick<ConversationDialogsProps, 'rename' | 'close'> & { title: string }

function Rename({ title, rename, close }: RenameProps) {
  const [typed, setTyped] = useState(title)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!typed.trim()) return
    rename(typed.trim())
    close()
  }
  return (
    <Modal opened onClose={close} title="Rename conversation">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            value={typed}
            maxLength={200}
            data-autofocus
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button type="submit" disabled={!typed.trim()}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
