import { ActionIcon, Button, Text, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconArchive, IconPlus, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ConversationPage } from '../../../api/chat.ts'
import { useApi } from '../../../app/services.tsx'
import { locale } from '../../../parts/locale.ts'
import { ErrorState, SkeletonRows } from '../../../parts/states.tsx'
import { useZone } from '../../../parts/time.tsx'
import { conversationGroups } from '../state/conversation-groups.ts'
import { ConversationRow } from './conversation-row.tsx'
import { FoundMessages } from './found-messages.tsx'
import classes from './list.module.css'

const pageSize = 50

interface ConversationListProps {
  active: string | undefined
  /** The list may be in a drawer, which has to go when something was chosen. */
  close: () => void
}

export function ConversationList({ active, close }: ConversationListProps) {
  const [typed, setTyped] = useState('')
  const [archived, setArchived] = useState(false)
  const [words] = useDebouncedValue(typed.trim(), 200)
  return (
    <div className={classes.list}>
      <div className={classes.top}>
        <Button
          component={Link}
          href="/chat"
          variant="default"
          leftSection={<IconPlus size={16} />}
          fullWidth
          onClick={close}
        >
          New chat
        </Button>
        <div className={classes.search}>
          <TextInput
            type="search"
            aria-label="Search conversations"
            placeholder="Search"
            size="sm"
            flex={1}
            data-search
            leftSection={<IconSearch size={16} />}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Tooltip label={archived ? 'Show the conversations' : 'Show the archive'}>
            <ActionIcon
              variant={archived ? 'light' : 'default'}
              size={36}
              aria-label="Archive"
              aria-pressed={archived}
              onClick={() => setArchived(!archived)}
            >
              <IconArchive size={18} />
            </ActionIcon>
          </Tooltip>
        </div>
      </div>
      <nav className={classes.scroll} aria-label="Conversations">
        <Groups words={words} archived={archived} active={active} close={close} />
        {words !== '' && <FoundMessages words={words} close={close} />}
      </nav>
    </div>
  )
}

interface GroupsProps extends ConversationListProps {
  words: string
  archived: boolean
}

function Groups({ words, archived, active, close }: GroupsProps) {
  const zone = useZone()
  const query = useConversations(words, archived)
  if (query.isError && !query.data)
    return <ErrorState what="Conversations" error={query.error} retry={() => query.refetch()} />
  if (!query.data) return <SkeletonRows count={8} height={36} />
  const conversations = query.data.pages.flatMap((page) => page.conversations)
  if (conversations.length === 0) return <Nothing words={words} archived={archived} />
  return (
    <>
      {conversationGroups(conversations, { now: Date.now(), zone, language: locale() }).map((group) => (
        <section key={group.label}>
          <h2 className={classes.group}>{group.label}</h2>
          <ul className={classes.rows}>
            {group.conversations.map((conversation) => (
              <ConversationRow
                key={conversation.id}
                conversation={conversation}
                active={conversation.id === active}
                close={close}
              />
            ))}
          </ul>
        </section>
      ))}
      {query.hasNextPage && (
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          fullWidth
          loading={query.isFetchingNextPage}
          onClick={() => query.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  )
}

function Nothing({ words, archived }: { words: string; archived: boolean }) {
  const text = words
    ? 'No conversation has that name'
    : archived
      ? 'The archive is empty'
      : 'No conversations yet'
  return (
    <Text size="sm" c="dimmed" ta="center" p="md">
      {text}
    </Text>
  )
}

/** Pages of conversations under the key that the bus refreshes. */
function useConversations(words: string, archived: boolean) {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: ['conversations', 'pages', { words, archived }],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageSize, offset: pageParam, archived, ...(words && { search: words }) }
      return api.get<ConversationPage>('/api/chat/conversations', query, signal)
    },
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
    placeholderData: keepPreviousData,
  })
}
