import { Anchor, Loader, Text } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCalendarTime,
  IconChecklist,
  IconClockPause,
  IconHandStop,
  IconMessageCircle,
  IconPlayerPause,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import type { Loop } from '../../../runtime/loops/schema.ts'
import type { ListedProject } from '../../../runtime/projects/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useOwnership } from '../../parts/use-is-mine.ts'

export function MoreLink({ href, children = 'All' }: { href: string; children?: ReactNode }) {
  return (
    <Anchor component={Link} href={href} size="sm" underline="hover">
      {children}
    </Anchor>
  )
}

type WaitingFor = NonNullable<ListedProject['progress']['waiting_for']>

const waitingTexts: Record<WaitingFor, string> = {
  plan_approval: 'Its plan waits for your approval',
  phase_approval: 'A phase waits for your approval',
  answer: 'A task has a question',
}

/** Projects that cannot continue without the person. */
export function useWaitingProjects() {
  const running = useEndpoint('/api/projects', { query: { status: 'running' } }).data?.projects ?? []
  const pending = useEndpoint('/api/projects', { query: { status: 'pending' } }).data?.projects ?? []
  return [...running, ...pending].filter(useOwnership()).flatMap((project) => {
    const reason = project.progress.waiting_for
    return reason ? [{ project, reason }] : []
  })
}

export const WaitingProject = ({ project, reason }: { project: ListedProject; reason: WaitingFor }) => (
  <Row
    href={`/projects/${project.id}`}
    icon={<IconChecklist size={18} color="var(--mantine-color-yellow-7)" aria-label="Project" />}
    name={project.name}
    detail={waitingTexts[reason]}
    at={project.updated_at}
  />
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
  const count = paused.length + runs.length + loops.length
  if (count === 0) return null
  return (
    <Panel title="Failures" count={count}>
      {loops.map(({ id, name, error, status, updated_at }) => (
        <Row
          key={id}
          href={`/loops/${id}`}
          icon={status === 'paused' ? pausedIcon : failedIcon}
          name={name}
          detail={error}
          at={updated_at}
        />
      ))}
      {paused.map(({ id, name, paused_reason }) => (
        <Row key={id} href={`/scheduler/${id}`} icon={pausedIcon} name={name} detail={paused_reason} />
      ))}
      {runs.map(({ id, job_id, error, created_at }) => (
        <Row
          key={id}
          href={`/scheduler/${job_id}/${id}`}
          icon={failedIcon}
          name={jobs.find((job) => job.id === job_id)?.name ?? 'A job'}
          detail={error}
          at={created_at}
        />
      ))}
    </Panel>
  )
}

/** Conversations that are being answered, projects, loops, and jobs that run or are queued. */
export function Running() {
  // The conversation of a running turn has just changed, so the latest ones include it.
  const query = useEndpoint('/api/chat/conversations', { query: { limit: 200 } })
  const jobs = useJobs()
  const all = [...useRuns('running', 20), ...useRuns('queued', 20)]
  // A run that waits for an approval is shown as its conversation, where it can be answered.
  const runs = all.filter(({ waiting_approval }) => !waiting_approval)
  const loops = [...useLoops('running'), ...useLoops('waiting')]
  const running = useEndpoint('/api/projects', { query: { status: 'running' } }).data?.projects ?? []
  const projects = running.filter(useOwnership())
  const ofOthers = new Set([...runs, ...loops].map(({ conversation_id }) => conversation_id))
  // The tasks of a project are shown as one row.
  const isTask = ({ kind, project_id }: Conversation) =>
    kind === 'internal' && projects.some(({ id }) => id === project_id)
  const conversationRows = (conversations: readonly Conversation[]) =>
    conversations
      .filter((one) => one.status !== 'idle' && !ofOthers.has(one.id) && !isTask(one))
      .map((conversation) => <ConversationRow key={conversation.id} conversation={conversation} />)
  const runRows = runs.map(({ id, job_id, status, started_at, created_at }) => (
    <Row
      key={id}
      href={`/scheduler/${job_id}/${id}`}
      icon={status === 'running' ? <Loader size={16} role="img" aria-label="Running" /> : queuedIcon}
      name={jobs.find((job) => job.id === job_id)?.name ?? 'A job'}
      at={started_at ?? created_at}
    />
  ))
  const loopRows = loops.map(({ id, name, status, iteration, max_iterations, started_at, updated_at }) => (
    <Row
      key={id}
      href={`/loops/${id}`}
      icon={status === 'running' ? <Loader size={16} role="img" aria-label="Running" /> : waitingIcon}
      name={name}
      detail={`Iteration ${iteration} of ${max_iterations}`}
      at={started_at ?? updated_at}
    />
  ))
  const projectRows = projects.map(({ id, name, progress, updated_at }) => (
    <Row
      key={id}
      href={`/projects/${id}`}
      icon={<Loader size={16} role="img" aria-label="Running" />}
      name={name}
      detail={`${progress.done} of ${counted(progress.total, 'task', 'tasks')}`}
      at={updated_at}
    />
  ))
  const rows = [...runRows, ...projectRows, ...loopRows, ...conversationRows(query.data?.conversations ?? [])]
  return (
    <Panel title="Running now" count={rows.length}>
      <List
        query={query}
        what="Running work"
        items={() => rows}
        empty="Nothing is running."
        skeleton={<SkeletonRows count={1} />}
      >
        {(row) => row}
      </List>
    </Panel>
  )
}

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
        {(conversation) => <ConversationRow key={conversation.id} conversation={conversation} />}
      </List>
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
  if (status === 'running') return <Loader size={16} role="img" aria-label="Running" />
  if (status === 'waiting_approval')
    return <IconHandStop size={18} color="var(--mantine-color-yellow-7)" aria-label="Waiting for approval" />
  if (kind === 'scheduled') return <IconCalendarTime size={18} color={color} aria-label="Scheduled" />
  return <IconMessageCircle size={18} color={color} aria-hidden />
}

interface RowProps {
  href: string
  icon?: ReactNode
  name: string
  detail?: string | null
  at?: string
}

export function Row({ href, icon, name, detail, at }: RowProps) {
  return (
    <Link href={href} className="row">
      {icon}
      <div className="grow">
        <Text size="sm" truncate>
          {name}
        </Text>
        {detail && <Hint truncate>{detail}</Hint>}
      </div>
      {at && (
        <Hint style={{ flexShrink: 0 }}>
          <Time at={at} />
        </Hint>
      )}
    </Link>
  )
}
