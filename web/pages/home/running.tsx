import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { conversationsQuery } from '../../api/chat.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { ConversationRow } from './conversation-row.tsx'

/** A running turn has just written to its conversation, so the newest page holds them all. */
const newest = { limit: 200 }

export function Running() {
  const query = useQuery(conversationsQuery(useApi(), newest))
  const running = query.data?.conversations.filter(({ status }) => status !== 'idle')
  return (
    <Panel title="Running now" count={running?.length}>
      <Loaded query={query} what="Running work" skeleton={<SkeletonRows count={1} />}>
        {() =>
          running?.length ? (
            running.map((conversation) => (
              <ConversationRow key={conversation.id} conversation={conversation} />
            ))
          ) : (
            <Text size="sm" c="dimmed" px="md" pb="md">
              All quiet.
            </Text>
          )
        }
      </Loaded>
    </Panel>
  )
}
