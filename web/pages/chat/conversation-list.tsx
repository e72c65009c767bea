import { Box, Button, Group, Indicator, type IndicatorProps, NativeSelect, Stack, Text, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconArchive, IconChecklist, IconClockHour4, IconMessages, IconPlus, IconRepeat } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { IconButton } from '../../parts/buttons.tsx'
import { Loaded, ShowMore, SkeletonRows } from '../../parts/list.tsx'
import { locale } from '../../parts/locale.ts'
import { Marked } from '../../parts/marked.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useZone } from '../../parts/time.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'
import { ConversationMenu } from './conversation-menu.tsx'
import classes from './list.module.css'
import { conversationGroups } from './state/conversation-groups.ts'
import { useUnread } from './state/read-marks.ts'

interface ConversationListProps {
  active: string | undefined
  /** Closes the drawer that contains the list on a phone. */
  close: () => void
}

export function ConversationList({ active, close }: ConversationListProps) {
  const [typed, setTyped] = useState('')
  const [archived, setArchived] = useState(false)
  const [kind, setKind] = useState<Shown>('user')
  const [search] = useDebouncedValue(typed.trim(), 200)
  return (
    <Stack gap={0} h="100%" mih={0}>
      <Stack gap="0.5rem" p="sm">
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
        <Group gap="0.4rem" wrap="nowrap">
          <SearchField
            type="search"
            what="Search conversations"
            placeholder="Search"
            data-search
            value={typed}
            change={setTyped}
          />
          <IconButton
            label="Archive"
            icon={IconArchive}
            variant={archived ? 'light' : 'default'}
            size={36}
            aria-pressed={archived}
            onClick={() => setArchived(!archived)}
          />
        </Group>
        <NativeSelect
          aria-label="Which conversations"
          size="xs"
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as Shown)}
          data={shownKinds}
        />
      </Stack>
      <Box
        component="nav"
        flex={1}
        mih={0}
        px="0.5rem"
        pb="md"
        style={{ overflowY: 'auto', overscrollBehavior: 'contain' }}
        aria-label="Conversations"
      >
        <Groups search={search} archived={archived} kind={kind} active={active} close={close} />
        {search !== '' && <FoundMessages search={search} close={close} />}
      </Box>
    </Stack>
  )
}

type Shown = Conversation['kind'] | 'all'

/** Conversations of job runs and project tasks are shown on their own pages; here only on request. */
const shownKinds: { value: Shown; label: string }[] = [
  { value: 'user', label: 'My chats' },
  { value: 'scheduled', label: 'Job runs' },
  { value: 'internal', label: 'Project tasks' },
  { value: 'channel', label: 'From channels' },
  { value: 'all', label: 'All' },
]

interface GroupsProps extends ConversationListProps {
  search: string
  kind: Shown
  archived: boolean
}

function Groups({ search, archived, kind: filter, active, close }: GroupsProps) {
  const zone = useZone()
  const query = usePages('/api/chat/conversations', {
    query: { archived, search, ...(filter === 'all' ? {} : { kind: filter }) },
  })
  const conversations = useMemo(() => query.data?.pages.flatMap((page) => page.conversations), [query.data])
  const isUnread = useUnread(conversations, active)
  return (
    <Loaded query={query} what="Conversations" skeleton={<SkeletonRows count={8} height={36} />}>
      {() => {
        if (!conversations?.length) return <Nothing search={search} archived={archived} />
        return (
          <>
            {conversationGroups(conversations, { now: Date.now(), zone, language: locale() }).map((group) => (
              <section key={group.label}>
                <GroupTitle>{group.label}</GroupTitle>
                <ul className="plain">
                  {group.conversations.map((conversation) => (
                    <ConversationRow
                      key={conversation.id}
                      conversation={conversation}
                      active={conversation.id === active}
                      unread={isUnread(conversation)}
                      close={close}
                    />
                  ))}
                </ul>
              </section>
            ))}
            <ShowMore query={query} />
          </>
        )
      }}
    </Loaded>
  )
}

function Nothing({ search, archived }: { search: string; archived: boolean }) {
  const empty = archived ? 'The archive is empty' : 'No conversations yet'
  return (
    <Muted ta="center" p="md">
      {search ? 'No matching conversations' : empty}
    </Muted>
  )
}

const kinds: Partial<Record<Conversation['kind'], { icon: typeof IconRepeat; label: string }>> = {
  scheduled: { icon: IconClockHour4, label: 'Started by a job' },
  channel: { icon: IconMessages, label: 'From a channel' },
  loop: { icon: IconRepeat, label: 'Started by a loop' },
  internal: { icon: IconChecklist, label: 'A task of a project' },
}

interface ConversationRowProps {
  conversation: Conversation
  active: boolean
  unread: boolean
  close: () => void
}

function ConversationRow({ conversation, active, unread, close }: ConversationRowProps) {
  const kind = kinds[conversation.kind]
  return (
    <li className={classes.row} data-active={active || undefined}>
      <Link
        href={`/chat/${conversation.id}`}
        className={classes.link}
        aria-current={active ? 'page' : undefined}
        onClick={close}
      >
        {kind && (
          <kind.icon size={15} color="var(--mantine-color-dimmed)" style={{ flex: 'none' }} aria-label={kind.label} />
        )}
        <span className="truncate grow" style={{ fontWeight: unread ? 600 : undefined }}>
          {conversation.title}
        </span>
        {unread && <Mark aria-label="Unread" />}
        <StatusDot status={conversation.status} />
      </Link>
      <ConversationMenu conversation={conversation} className={classes.menu} />
    </li>
  )
}

const Mark = (props: IndicatorProps & { 'aria-label': string }) => (
  <Indicator inline size={8} offset={4} role="img" w={8} h={8} {...props} />
)

function StatusDot({ status }: { status: Conversation['status'] }) {
  if (status === 'idle') return null
  const waits = status === 'waiting_approval'
  const label = waits ? 'Waiting for your approval' : 'Answering'
  return (
    <Tooltip label={label}>
      <Mark color={waits ? 'yellow' : 'blue'} processing={!waits} aria-label={label} />
    </Tooltip>
  )
}

const GroupTitle = ({ children }: { children: string }) => (
  <Text component="h2" fz="xs" fw={600} c="dimmed" mt="sm" mx="0.5rem" mb="0.25rem">
    {children}
  </Text>
)

/** Messages that match the search, below the conversations whose title matches. */
function FoundMessages({ search, close }: { search: string; close: () => void }) {
  const results = useEndpoint('/api/chat/search', { query: { q: search, limit: 20 } }).data?.results ?? []
  if (results.length === 0) return null
  return (
    <section>
      <GroupTitle>In messages</GroupTitle>
      <ul className="plain">
        {results.map((one) => (
          <li key={one.message_id} className={classes.row}>
            <Box
              component={Link}
              href={`/chat/${one.conversation_id}?at=${one.message_id}`}
              className="quiet-link grow"
              px="0.6rem"
              py="0.4rem"
              onClick={close}
            >
              <Text size="sm" truncate>
                {one.conversation_title}
              </Text>
              <Hint lineClamp={2}>
                <Marked html={one.excerpt} />
              </Hint>
            </Box>
          </li>
        ))}
      </ul>
    </section>
  )
}
