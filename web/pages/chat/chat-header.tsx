import { ActionIcon, Group, Text, TextInput, Tooltip, UnstyledButton } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconLayoutSidebar } from '@tabler/icons-react'
import { useState } from 'react'
import type { Conversation } from '../../api/chat.ts'
import { money, whole } from '../../parts/numbers.ts'
import classes from './chat.module.css'
import { CheckIns } from './check-ins.tsx'
import { ConversationMenu } from './list/conversation-menu.tsx'
import { useConversationActions } from './list/use-conversation-actions.ts'
import { useView } from './sessions.tsx'
import type { ChatSession } from './state/session.ts'

/** Name, cost and actions of the open conversation. Its height never changes. */
export function ChatHeader({ session, openList }: { session: ChatSession; openList: () => void }) {
  const conversation = useView(session, ({ thread }) => thread.conversation)
  useDocumentTitle(`${conversation?.title || 'Chat'} · hearthd`)
  return (
    <header className={classes.header}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        aria-label="Conversations"
        onClick={openList}
      >
        <IconLayoutSidebar size={20} />
      </ActionIcon>
      {conversation && (
        <>
          <Name key={conversation.id} conversation={conversation} />
          <Group gap="xs" wrap="nowrap" ml="auto">
            <CheckIns conversation={conversation.id} />
            <Spent conversation={conversation} />
            <ConversationMenu conversation={conversation} />
          </Group>
        </>
      )}
    </header>
  )
}

/** The title; a click makes it a field. */
function Name({ conversation }: { conversation: Conversation }) {
  const [editing, setEditing] = useState(false)
  const { update } = useConversationActions(conversation)
  const [typed, setTyped] = useState('')
  if (!editing) {
    const edit = () => {
      setTyped(conversation.title)
      setEditing(true)
    }
    return (
      <Tooltip label="Rename">
        <UnstyledButton className={classes.name} onClick={edit}>
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
    setEditing(false)
  }
  return (
    <TextInput
      aria-label="Name of the conversation"
      size="xs"
      className={classes.nameField}
      value={typed}
      maxLength={200}
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save()
        if (event.key === 'Escape') setEditing(false)
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
      <Text size="xs" c="dimmed" component="span" className={classes.spent}>
        <span className={classes.tokens}>{whole(tokens)} tokens</span>
        {/* Nothing may mean that no price is known; each answer says which. */}
        {conversation.cost_usd > 0 && ` · ${money(conversation.cost_usd)}`}
      </Text>
    </Tooltip>
  )
}
