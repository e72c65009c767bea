import { Badge, Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconAffiliate, IconPencil, IconTrash, IconZoomQuestion } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { EpisodeDetail } from '../../../runtime/memory/schema.ts'
import { memories } from '../../api/live.ts'
import { useEndpoint, useOptional } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, Loaded, SkeletonRows } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { BackLink, Hint, Muted } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { Feedback, History, Properties } from './episode-details.tsx'
import { reasonLabels } from './labels.ts'
import { Columns, EpisodeRow, useHistory, useRestore } from './parts.tsx'

const EpisodeForm = lazily(() => import('./episode-form.tsx'), 'EpisodeForm')

/** One memory with its origin, history and related memories. */
export function EpisodeView({ id }: { id: string }) {
  const query = useOptional('/api/memory/episodes/{id}', { params: { id } })
  useDocumentTitle('Memory · hearthd')
  return (
    <>
      <BackLink href="/memory">All memories</BackLink>
      <Loaded query={query} what="This memory" skeleton={<SkeletonRows count={6} />}>
        {(episode) => (episode ? <Episode episode={episode} /> : <Deleted id={id} />)}
      </Loaded>
    </>
  )
}

function Episode({ episode }: { episode: EpisodeDetail }) {
  const [editing, setEditing] = useState(false)
  return (
    <article aria-label="Memory">
      <Group justify="space-between" mb="md">
        <Title order={1} size="h2">
          Memory
        </Title>
        <Group gap="xs">
          <SmallButton size="sm" icon={IconPencil} onClick={() => setEditing(true)}>
            Edit
          </SmallButton>
          <DeleteButton id={episode.id} />
        </Group>
      </Group>
      <Columns
        side={
          <>
            <Properties episode={episode} />
            <Feedback episode={episode} />
            <History episode={episode} />
          </>
        }
      >
        <Stack gap="lg">
          <Content episode={episode} />
          <Related id={episode.id} />
        </Stack>
      </Columns>
      {editing && <EpisodeForm episode={episode} close={() => setEditing(false)} />}
    </article>
  )
}

function Content({ episode }: { episode: EpisodeDetail }) {
  const { content, reply, summary, topics, entities } = episode
  return (
    <Panel title="Content" gap="md">
      {summary && <Muted>{summary}</Muted>}
      <Text className="verbatim">{content}</Text>
      {reply && (
        <Box pl="0.85rem" style={{ borderLeft: '3px solid var(--line)' }}>
          <Hint mb={2}>Reply</Hint>
          <Text size="sm" className="verbatim">
            {reply}
          </Text>
        </Box>
      )}
      {topics.length > 0 && (
        <Group gap={6} role="group" aria-label="Topics">
          {topics.map((topic) => (
            <Chip key={topic} href={`/memory?q=${encodeURIComponent(topic)}`} variant="light">
              {topic}
            </Chip>
          ))}
        </Group>
      )}
      {entities.length > 0 && (
        <Group gap={6} role="group" aria-label="Mentions">
          {entities.map(({ id, name, type }) => (
            <Chip key={id} href={`/memory/graph?entity=${id}`} variant="default">
              {name} · {labelOf(type).toLowerCase()}
            </Chip>
          ))}
        </Group>
      )}
    </Panel>
  )
}

const Chip = (props: { href: string; variant: string; children: ReactNode }) => (
  <Badge component={Link} style={{ cursor: 'pointer' }} {...props} />
)

function Related({ id }: { id: string }) {
  const query = useEndpoint('/api/memory/episodes/{id}/related', { params: { id }, query: { limit: 8 } })
  return (
    <Panel title="Related">
      <List
        query={query}
        what="Related memories"
        skeleton={<SkeletonRows count={4} height={64} />}
        items="related"
        empty={
          <EmptyState icon={<IconAffiliate size={28} />} title="No related memories yet">
            Memories with a similar meaning, the same mentions or from the same time appear here.
          </EmptyState>
        }
      >
        {({ episode, reason }) => <EpisodeRow key={episode.id} episode={episode} note={reasonLabels[reason]} />}
      </List>
    </Panel>
  )
}

/** Milliseconds for which a deletion can be undone. The memory's own address offers it for 30 days. */
const undoFor = 12_000

/** Deletes without asking, because it can be undone. */
function DeleteButton({ id }: { id: string }) {
  const [, navigate] = useLocation()
  const restore = useRestore(id)
  const remove = useChange(
    async (api) => {
      await api.delete('/api/memory/episodes/{id}', { params: { id } })
      navigate('/memory', { replace: true })
      // This button is unmounted by then, so callbacks given to `mutate` would not be called.
      offerUndo(() =>
        restore.mutateAsync(undefined).then(
          () => navigate(`/memory/${id}`),
          () => undefined,
        ),
      )
    },
    { stale: memories },
  )
  return (
    <ActionButton size="sm" icon={IconTrash} run={remove}>
      Delete
    </ActionButton>
  )
}

function offerUndo(undo: () => unknown): void {
  const run = () => {
    notifications.hide(id)
    undo()
  }
  const id = notifications.show({
    autoClose: undoFor,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    message: (
      <Group justify="space-between">
        <Text size="sm">Memory deleted</Text>
        <Button size="compact-sm" variant="light" onClick={run}>
          Undo
        </Button>
      </Group>
    ),
  })
}

/** A memory that does not exist. If it was deleted, it can be restored. */
function Deleted({ id }: { id: string }) {
  const history = useHistory(id)
  const restore = useRestore(id)
  const last = history.data?.versions[0]
  if (history.isPending) return <SkeletonRows />
  if (!last)
    return (
      <EmptyState icon={<IconZoomQuestion size={28} />} title="Memory not found">
        It was permanently deleted, or never existed.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<IconTrash size={28} />}
      title="This memory was deleted"
      action={
        <Button loading={restore.isPending} onClick={() => restore.mutate(undefined)}>
          Restore
        </Button>
      }
    >
      <Text span size="sm" lineClamp={3} mb={4}>
        “{last.episode.content}”
      </Text>
      Deleted by {last.changed_by}, <Time at={last.changed_at} />. It is kept for 30 days.
    </EmptyState>
  )
}
