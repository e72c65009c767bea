import { Loader } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCalendarTime,
  IconClockPause,
  IconHandStop,
  IconMessageCircle,
  IconPlayerPause,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import type { Loop } from '../../../runtime/loops/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { LinkRow, type LinkRowProps } from '../../parts/link-row.tsx'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { TextLink } from '../../parts/typography.tsx'
import { useOwnership } from '../../parts/use-is-mine.ts'

export const MoreLink = ({ children = 'All', ...props }: { href: string; children?: ReactNode }) => (
  <TextLink {...props}>{children}</TextLink>
)

/** The person's own loops with this status. */
export function useLoops(status: Loop['status']): Loop[] {
  const { data } = useEndpoint('/api/loops', { query: { status } })
  return (data?.loops ?? []).filter(useOwnership())
}

const useJobs = () => useEndpoint('/api/scheduler/jobs', { query: { limit: 200 } }).data?.jobs ?? []

type RunStatus = 'running' | 'queued' | 'failed' | 'timed_out' | 'lost'

/** The latest runs with this status. */
const useRuns = (status: RunStatus, limit: number) =>
  useEndpoint('/api/scheduler/runs', { query: { status, limit } }).data?.runs ?? []

const pausedIcon = <IconPlayerPause size={18} color="var(--mantine-color-yellow-7)" aria-label="Paused" />
const failedIcon = <IconAlertTriangle size={18} color="var(--mantine-color-red-7)" aria-label="Failed" />

/** Milliseconds. Older failures are not shown. */
const recent = 3 * 24 * 3_600_000
const maxFailures = 5

/** Jobs and loops that failed recently or were paused after failures. Hidden if there are none. */
export function Failures() {
  const jobs = useJobs()
  const failed = [
    ...useRuns('failed', maxFailures),
    ...useRuns('timed_out', maxFailures),
    ...useRuns('lost', maxFailures),
  ]
  const paused = jobs.filter(({ paused_reason }) => paused_reason !== null)
  const since = new Date(Date.now() - recent).toISOString()
  const runs = failed
    .filter(({ created_at, job_id }) => created_at > since && !paused.some(({ id }) => id === job_id))
    .toSorted((left, right) => right.created_at.localeCompare(left.created_at))
    .slice(0, maxFailures)
  const loops = [...useLoops('failed'), ...useLoops('paused')].filter(
    ({ updated_at, error }) => updated_at > since && error !== null,
  )
  const rows: LinkRowProps[] = [
    ...loops.map(({ id, name, error, status, updated_at }) => ({
      href: `/loops/${id}`,
      icon: status === 'paused' ? pausedIcon : failedIcon,
      name,
      detail: error,
      at: updated_at,
    })),
    ...paused.map(({ id, name, paused_reason }) => ({
      href: `/scheduler/${id}`,
      icon: pausedIcon,
      name,
      detail: paused_reason,
    })),
    ...runs.map(({ id, job_id, error, created_at }) => ({
      href: `/scheduler/${job_id}/${id}`,
      icon: failedIcon,
      name: jobs.find((job) => job.id === job_id)?.name ?? 'A job',
      detail: error,
      at: created_at,
    })),
  ]
  if (rows.length === 0) return null
  return (
    <Panel title="Failures" count={rows.length}>
      {rows.map((row) => (
        <LinkRow key={row.href} {...row} />
      ))}
    </Panel>
  )
}

/** Conversations that are being answered, projects, loops, and jobs that run or are queued. */
export function Running() {
  // The conversation of a running turn has just changed, so the latest ones include it.
  const query = useEndpoint('/api/chat/conversations', { query: { limit: 200 } })
  const jobs = useJobs()
  // A run that waits for an approval is shown as its conversation, where it can be answered.
  const runs = [...useRuns('running', 20), ...useRuns('queued', 20)].filter((run) => !run.waiting_approval)
  const loops = [...useLoops('running'), ...useLoops('waiting')]
  const running = useEndpoint('/api/projects', { query: { status: 'running' } }).data?.projects ?? []
  const projects = running.filter(useOwnership())
  const ofOthers = new Set([...runs, ...loops].map(({ conversation_id }) => conversation_id))
  // The tasks of a project are shown as one row.
  const isTask = ({ kind, project_id }: Conversation) =>
    kind === 'internal' && projects.some(({ id }) => id === project_id)
  const rows: LinkRowProps[] = [
    ...runs.map(({ id, job_id, status, started_at, created_at }) => ({
      href: `/scheduler/${job_id}/${id}`,
      icon: status === 'running' ? runningIcon : queuedIcon,
      name: jobs.find((job) => job.id === job_id)?.name ?? 'A job',
      at: started_at ?? created_at,
    })),
    ...projects.map(({ id, name, progress, updated_at }) => ({
      href: `/projects/${id}`,
      icon: runningIcon,
      name,
      detail: `${progress.done} of ${counted(progress.total, 'task', 'tasks')}`,
      at: updated_at,
    })),
    ...loops.map(({ id, name, status, iteration, max_iterations, started_at, updated_at }) => ({
      href: `/loops/${id}`,
      icon: status === 'running' ? runningIcon : waitingIcon,
      name,
      detail: `Iteration ${iteration} of ${max_iterations}`,
      at: started_at ?? updated_at,
    })),
    ...(query.data?.conversations ?? [])
      .filter((one) => one.status !== 'idle' && !ofOthers.has(one.id) && !isTask(one))
      .map(rowOf),
  ]
  return (
    <Panel title="Running now" count={rows.length}>
      <List
        query={query}
        what="Running work"
        items={() => rows}
        empty="Nothing is running."
        skeleton={<SkeletonRows count={1} />}
      >
        {(row) => <LinkRow key={row.href} {...row} />}
      </List>
    </Panel>
  )
}

const runningIcon = <Loader size={16} role="img" aria-label="Running" />
const waitingIcon = (
  <IconClockPause size={18} color="var(--mantine-color-dimmed)" aria-label="Waits for its next iteration" />
)
const queuedIcon = <IconClockPause size={18} color="var(--mantine-color-dimmed)" aria-label="Queued" />

export function RecentConversations() {
  const query = useEndpoint('/api/chat/conversations', { query: { limit: 8, archived: false, kind: 'user' } })
  const empty = (
    <EmptyState icon={<IconMessageCircle />} title="No conversations yet">
      Send a message above to start one.
    </EmptyState>
  )
  return (
    <Panel title="Recent conversations" action={<MoreLink href="/chat" />}>
      <List query={query} what="Conversations" items="conversations" empty={empty}>
        {(conversation) => <LinkRow key={conversation.id} {...rowOf(conversation)} />}
      </List>
    </Panel>
  )
}

const rowOf = (conversation: Conversation): LinkRowProps => ({
  href: `/chat/${conversation.id}`,
  icon: <StatusIcon {...conversation} />,
  name: conversation.title || 'Untitled',
  at: conversation.last_message_at ?? conversation.created_at,
})

function StatusIcon({ status, kind }: Pick<Conversation, 'status' | 'kind'>) {
  const color = 'var(--mantine-color-dimmed)'
  if (status === 'running') return runningIcon
  if (status === 'waiting_approval')
    return <IconHandStop size={18} color="var(--mantine-color-yellow-7)" aria-label="Waiting for approval" />
  if (kind === 'scheduled') return <IconCalendarTime size={18} color={color} aria-label="Scheduled" />
  return <IconMessageCircle size={18} color={color} aria-hidden />
}
