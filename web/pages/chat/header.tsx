import { ActionIcon, Badge, Flex, Group, Text, TextInput, Tooltip, UnstyledButton } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconLayoutSidebar } from '@tabler/icons-react'
import { useState } from 'react'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { lazily } from '../../parts/lazily.ts'
import { money, whole } from '../../parts/numbers.ts'
import classes from './chat.module.css'
import { ConversationMenu, useConversationActions } from './conversation-menu.tsx'
import { useView } from './sessions.tsx'
import type { ChatSession } from './state/session.ts'

/** Name, cost and actions of the open conversation. */
export function ChatHeader({ session, openList }: { session: ChatSession; openList: () => void }) {
  const conversation = useView(session, ({ thread }) => thread.conversation)
  useDocumentTitle(`${conversation?.title || 'Chat'} · hearthd`)
  return (
    <Flex
      component="header"
      flex="none"
      gap="0.5rem"
      align="center"
      h="3rem"
      px={{ base: '0.6rem', sm: 'md' }}
      style={{ borderBottom: '1px solid var(--line)' }}
    >
      <ListButton openList={openList} />
      {conversation && (
        <>
          <Name key={conversation.id} conversation={conversation} />
          {conversation.owner_name && <Badge variant="default">Shared by {conversation.owner_name}</Badge>}
          <Group gap="xs" wrap="nowrap" ml="auto">
            <CheckIns conversation={conversation.id} />
            <Spent conversation={conversation} />
            <ConversationMenu conversation={conversation} />
          </Group>
        </>
      )}
    </Flex>
  )
}

/** Opens the list of conversations on a phone. */
export function ListButton({ openList }: { openList: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" hiddenFrom="sm" aria-label="Conversations" onClick={openList}>
      <IconLayoutSidebar size={20} />
    </ActionIcon>
  )
}

/** The title, which a click makes editable. */
function Name({ conversation }: { conversation: Conversation }) {
  const { update } = useConversationActions(conversation)
  const [typed, setTyped] = useState<string | null>(null)
  if (typed === null) {
    return (
      <Tooltip label="Rename">
        <UnstyledButton className={classes.name} onClick={() => setTyped(conversation.title)}>
          <Text component="h1" fw={600} size="sm" truncate>
            {conversation.title}
          </Text>
        </UnstyledButton>
      </Tooltip>
    )
  }
  const save = () => {
    const title = typed.trim()
    if (title && title !== conversation.title) update.mutate({ title })
    setTyped(null)
  }
  return (
    <TextInput
      aria-label="Conversation name"
      size="xs"
      flex={1}
      maw="24rem"
      value={typed}
      maxLength={200}
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save()
        if (event.key === 'Escape') setTyped(null)
      }}
    />
  )
}

function Spent({ conversation }: { conversation: Conversation }) {
  const tokens = conversation.input_tokens + conversation.output_tokens
  if (tokens === 0) return null
  const detail = `${whole(conversation.input_tokens)} tokens in, ${whole(conversation.output_tokens)} out`
  return (
    <Tooltip label={detail}>
      <Text size="xs" c="dimmed" component="span" style={{ whiteSpace: 'nowrap' }}>
        <Text span inherit visibleFrom="sm">
          {whole(tokens)} tokens
        </Text>
        {/* Zero may mean that the price is unknown, which each answer states. */}
        {conversation.cost_usd > 0 && ` · ${money(conversation.cost_usd)}`}
      </Text>
    </Tooltip>
  )
}

const CheckInPopover = lazily(() => import('./check-in-popover.tsx'), 'CheckInPopover')

/** The open check-ins, the next first. Hidden while there are none. */
function CheckIns({ conversation }: { conversation: string }) {
  const query = useEndpoint('/api/chat/conversations/{id}/check-ins', { params: { id: conversation } })
  const open = query.data?.check_ins ?? []
  if (open.length === 0) return null
  return <CheckInPopover conversation={conversation} open={open} />
}
