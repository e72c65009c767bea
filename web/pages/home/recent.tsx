import { Anchor } from '@mantine/core'
import { IconMessageCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { conversationsQuery } from '../../api/chat.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { ConversationRow } from './conversation-row.tsx'

export function Recent() {
  const query = useQuery(conversationsQuery(useApi(), { limit: 8, archived: false }))
  return (
    <Panel
      title="Recent conversations"
      action={
        <Anchor component={Link} href="/chat" size="sm" underline="hover">
          All
        </Anchor>
      }
    >
      <Loaded query={query} what="Conversations">
        {({ conversations }) =>
          conversations.length === 0 ? (
            <EmptyState icon={<IconMessageCircle />} title="No conversation yet">
              Write something above, and it appears here.
            </EmptyState>
          ) : (
            conversations.map((conversation) => (
              <ConversationRow key={conversation.id} conversation={conversation} />
            ))
          )
        }
      </Loaded>
    </Panel>
  )
}
