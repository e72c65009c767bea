import { Anchor, Loader, Text } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCalendarTime,
  IconClockPause,
  IconHandStop,
  IconMessageCircle,
  IconPlayerPause,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

export function MoreLink({ href, children = 'All' }: { href: string; children?: ReactNode }) {
  return (
    <Anchor component={Link} href={href} size="sm" underline="hover">
      {children}
    </Anchor>
  )
}

const useJobs = () => useEndpoint('/api/scheduler/jobs', { query: { limit: 200 } }).data?.jobs ?? []

type RunStatus = 'running' | 'queued' | 'failed' | 'timed_out' | 'lost'

/** The latest runs with this status. */
const useRuns = (status: RunStatus, limit: number) =>
  useEndpoint('/api/scheduler/runs', { query: { status, limit } }).data?.runs ?? []

/** Milliseconds. Older failures are not shown. */
const recent = 3 * 24 * 3_600_000
const maxFailures = 5

/** Jobs that failed recently or were paused after failures. Hidden if there are none. */
export function Failures() {
  const jobs = useJobs()
  const failed = useRuns('failed', maxFailures)
  const timedOut = useRuns('timed_out', maxFailures)
  const lost = useRuns('lost', maxFailures)
  const paused = jobs.filter(({ paused_reason }) => paused_reason !== null)
  const since = new Date(Date.now() - recent).toISOString()
  const runs = [...failed, ...timedOut, ...lost]
    .filter(({ created_at, job_id }) => created_at > since && !paused.some(({ id }) => id === job_id))
    .toSorted((left, right) => right.created_at.localeCompare(left.created_at))
    .slice(0, maxFailures)
  if (paused.length + runs.length === 0) return null
  return (
    <Panel title="Failures" count={paused.length + runs.length}>
      {paused.map(({ id, name, paused_reason }) => (
        <Row
          key={id}
          href={`/scheduler/${id}`}
          icon={<IconPlayerPause size={18} color="var(--mantine-color-yellow-7)" aria-label="Paused" />}
          name={name}
          detail={paused_reason}
        />
      ))}
      {runs.map(({ id, job_id, error, created_at }) => (
        <Row
          key={id}
          href={`/scheduler/${job_id}/${id}`}
          icon={<IconAlertTriangle size={18} color="var(--mantine-color-red-7)" aria-label="Failed" />}
          name={jobs.find((job) => job.id === job_id)?.name ?? 'A job'}
          detail={error}
          at={created_at}
        />
      ))}
    </Panel>
  )
}

/** Conversations that are being answered, and jobs that run or are queued. */
export function Running() {
  // The conversation of a running turn has just changed, so the latest ones include it.
  const query = useEndpoint('/api/chat/conversations', { query: { limit: 200 } })
  const jobs = useJobs()
  const running = useRuns('running', 20)
  const queued = useRuns('queued', 20)
  // A run that waits for an approval is shown as its conversation, where that can be given.
  const runs = [...running, ...queued].filter(({ waiting_approval }) => !waiting_approval)
  const conversations = (query.data?.conversations ?? []).filter(
    ({ status, id }) => status !== 'idle' && !runs.some(({ conversation_id }) => conversation_id === id),
  )
  const count = runs.length + conversations.length
  return (
    <Panel title="Running now" count={count}>
      <Loaded query={query} what="Running work" skeleton={<SkeletonRows count={1} />}>
        {() => (
          <>
            {count === 0 && (
              <Text size="sm" c="dimmed" px="md" pb="md">
                Nothing is running.
              </Text>
            )}
            {runs.map(({ id, job_id, status, started_at, created_at }) => (
              <Row
                key={id}
                href={`/scheduler/${job_id}/${id}`}
                icon={
                  status === 'running' ? (
                    <Loader size={16} aria-label="Running" />
                  ) : (
                    <IconClockPause size={18} color="var(--mantine-color-dimmed)" aria-label="Queued" />
                  )
                }
                name={jobs.find((job) => job.id === job_id)?.name ?? 'A job'}
                at={started_at ?? created_at}
              />
            ))}
            {conversations.map((conversation) => (
              <ConversationRow key={conversation.id} conversation={conversation} />
            ))}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

export function RecentConversations() {
  const query = useEndpoint('/api/chat/conversations', { query: { limit: 8, archived: false } })
  return (
    <Panel title="Recent conversations" action={<MoreLink href="/chat" />}>
      <Loaded query={query} what="Conversations">
        {({ conversations }) =>
          conversations.length === 0 ? (
            <EmptyState icon={<IconMessageCircle />} title="No conversations yet">
              Send a message above to start one.
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

function ConversationRow({ conversation }: { conversation: Conversation }) {
  const { id, title, last_message_at, created_at } = conversation
  return (
    <Row
      href={`/chat/${id}`}
      icon={<StatusIcon {...conversation} />}
      name={title || 'Untitled'}
      at={last_message_at ?? created_at}
    />
  )
}

function StatusIcon({ status, kind }: Pick<Conversation, 'status' | 'kind'>) {
  const color = 'var(--mantine-color-dimmed)'
  if (status === 'running') return <Loader size={16} aria-label="Running" />
  if (status === 'waiting_approval')
    return <IconHandStop size={18} color="var(--mantine-color-yellow-7)" aria-label="Waiting for approval" />
  if (kind === 'scheduled') return <IconCalendarTime size={18} color={color} aria-label="Scheduled" />
  return <IconMessageCircle size={18} color={color} aria-hidden />
}

interface RowProps {
  href: string
  icon: ReactNode
  name: string
  detail?: string | null
  at?: string
}

function Row({ href, icon, name, detail, at }: RowProps) {
  return (
    <Link href={href} className="row">
      {icon}
      <div className="grow">
        <Text size="sm" truncate>
          {name}
        </Text>
        {detail && (
          <Text size="xs" c="dimmed" truncate>
            {detail}
          </Text>
        )}
      </div>
      {at && (
        <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
          <Time at={at} />
        </Text>
      )}
    </Link>
  )
}
