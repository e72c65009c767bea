import { Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import { whole } from '../../parts/numbers.ts'
import { UserChoice } from '../../parts/user-choice.tsx'

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
  if (dialog === 'share') return <Share conversation={conversation} share={share} close={close} />
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

const everyone = 'everyone'

type ShareProps = Pick<ConversationDialogsProps, 'conversation' | 'share' | 'close'>

function Share({ conversation, share, close }: ShareProps) {
  const [chosen, setChosen] = useState(conversation.shared_with)
  const withAll = chosen.includes(everyone)
  return (
    <Modal opened onClose={close} title="Share conversation">
      <Stack gap="md">
        <Text size="sm">
          The people you choose can read this conversation and write in it. Its settings and approvals remain
          yours.
        </Text>
        <Switch
          label="Everyone on this server"
          checked={withAll}
          onChange={(event) => setChosen(event.currentTarget.checked ? [everyone] : [])}
        />
        {!withAll && (
          <UserChoice
            label="Users"
            description="Only these people"
            otherwise={
              <Text size="sm" c="dimmed">
                An administrator can share it with single users.
              </Text>
            }
            value={chosen}
            onChange={setChosen}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            onClick={() => {
              share(chosen)
              close()
            }}
          >
            Save
          </Button>
        </Group>
      </Stack>
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
        <Stack gap="md">
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
