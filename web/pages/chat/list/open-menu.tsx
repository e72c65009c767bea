import { Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core'
import {
  IconArchive,
  IconArchiveOff,
  IconFileText,
  IconJson,
  IconPencil,
  IconPin,
  IconPinnedOff,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { whole } from '../../../parts/numbers.ts'
import type { ConversationMenuProps } from './conversation-menu.tsx'
import { MoreButton } from './more-button.tsx'
import { useConversationActions } from './use-conversation-actions.ts'

/** Everything that can be done to a conversation. Opened as soon as it is there. */
export function OpenMenu({ conversation, className }: ConversationMenuProps) {
  const [asked, setAsked] = useState<'rename' | 'delete' | null>(null)
  const { update, remove, download } = useConversationActions(conversation)
  const { title, pinned, archived } = conversation
  return (
    <>
      <Menu position="bottom-end" width={200} defaultOpened>
        <Menu.Target>
          <MoreButton title={title} className={className} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setAsked('rename')}>
            Rename…
          </Menu.Item>
          <Menu.Item
            leftSection={pinned ? <IconPinnedOff size={16} /> : <IconPin size={16} />}
            onClick={() => update.mutate({ pinned: !pinned })}
          >
            {pinned ? 'Unpin' : 'Pin'}
          </Menu.Item>
          <Menu.Item
            leftSection={archived ? <IconArchiveOff size={16} /> : <IconArchive size={16} />}
            onClick={() => update.mutate({ archived: !archived })}
          >
            {archived ? 'Take out of the archive' : 'Archive'}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconFileText size={16} />} onClick={() => download.mutate('markdown')}>
            Export as Markdown
          </Menu.Item>
          <Menu.Item leftSection={<IconJson size={16} />} onClick={() => download.mutate('json')}>
            Export as JSON
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setAsked('delete')}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={asked === 'rename'} onClose={() => setAsked(null)} title="Rename the conversation">
        <Rename
          title={title}
          save={(changed) => {
            update.mutate({ title: changed })
            setAsked(null)
          }}
        />
      </Modal>
      <Modal opened={asked === 'delete'} onClose={() => setAsked(null)} title={`Delete “${title}”?`}>
        <Text size="sm">
          {conversation.message_count > 0
            ? `Its ${whole(conversation.message_count)} messages go away and cannot be brought back.`
            : 'It cannot be brought back.'}
        </Text>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setAsked(null)} data-autofocus>
            Keep it
          </Button>
          <Button
            color="red.9"
            loading={remove.isPending}
            onClick={() => remove.mutate(undefined, { onSettled: () => setAsked(null) })}
          >
            Delete
          </Button>
        </Group>
      </Modal>
    </>
  )
}

function Rename({ title, save }: { title: string; save: (title: string) => void }) {
  const [typed, setTyped] = useState(title)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim()) save(typed.trim())
      }}
    >
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
  )
}
