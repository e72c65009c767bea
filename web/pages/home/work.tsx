import { Badge, Loader } from '@mantine/core'
import {
  IconAlertTriangle,
  IconClockPause,
  IconHandStop,
  IconMessageCircle,
  IconPlayerPause,
} from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import type { Now } from '../../../runtime/monitoring/now.ts'
import { recentChats } from '../../api/first.ts'
import { useWaitingCount } from '../../api/inbox.ts'
import { useEndpoint } from '../../api/query.ts'
import { LinkRow, type LinkRowProps } from '../../parts/link-row.tsx'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { money } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { TextLink } from '../../parts/typography.tsx'

export const MoreLink = ({ href }: { href: string }) => <TextLink href={href}>All</TextLink>

const dimmed = 'var(--mantine-color-dimmed)'
const runningIcon = <Loader size={16} role="img" aria-label="Running" />
const waitingIcon = <IconClockPause size={18} color={dimmed} aria-label="Waiting" />
const handIcon = <IconHandStop size={18} color="var(--mantine-color-yellow-7)" aria-label="Waiting for approval" />
const pausedIcon = <IconPlayerPause size={18} color="var(--mantine-color-yellow-7)" aria-label="Paused" />
const failedIcon = <IconAlertTriangle size={18} color="var(--mantine-color-red-7)" aria-label="Failed" />

const openIcons: Record<string, typeof waitingIcon> = { running: runningIcon, waiting_approval: handIcon }

interface StripProps {
  now: Now | undefined
}

/** What runs, what needs the person, what failed and what today has cost, each with the page that shows it. */
export function Strip({ now }: StripProps) {
  const waiting = useWaitingCount()
  const failed = now?.failed.length
  const cells = [
    { label: 'Running', value: now?.running.length, href: '/automations/open' },
    { label: 'Needs you', value: waiting, href: '/inbox', color: waiting > 0 && 'ember' },
    { label: 'Failed', value: failed, href: '/automations/failed', color: Boolean(failed) && 'red' },
    { label: 'Today', value: now && money(now.today.cost_usd), href: '/monitor/usage' },
  ]
  return (
    <nav aria-label="At a glance" className="strip card">
      {cells.map(({ label, value, href, color }) => (
        <Link key={label} href={href} style={color ? { color: `var(--mantine-color-${color}-light-color)` } : {}}>
          <strong>{value ?? '–'}</strong> {label}
        </Link>
      ))}
    </nav>
  )
}

/** What failed lately, or was paused after failures: one line for each thing. Hidden if there is none. */
export const Failures = ({ failed }: Pick<Now, 'failed'>) =>
  failed.length > 0 && (
    <Panel title="Failures" count={failed.length}>
      {failed.map(({ kind, id, status, count, ...run }) => (
        <LinkRow key={kind + id} {...run} icon={status === 'paused' ? pausedIcon : failedIcon}>
          {count > 1 && <Badge color="red">{count} times</Badge>}
        </LinkRow>
      ))}
    </Panel>
  )

/** Whatever has not ended. */
export const Running = ({ query }: { query: UseQueryResult<Now> }) => (
  <Panel title="Running now" count={query.data?.running.length}>
    <List
      query={query}
      what="Running work"
      items="running"
      empty="Nothing is running."
      skeleton={<SkeletonRows count={1} />}
    >
      {({ kind, run_id, status, ...run }) => (
        <LinkRow key={kind + run_id} {...run} icon={openIcons[status] ?? waitingIcon} />
      )}
    </List>
  </Panel>
)

export function RecentConversations() {
  const query = useEndpoint('/api/chat/conversations', recentChats)
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

const rowOf = ({ id, title, status, last_message_at, created_at }: Conversation): LinkRowProps => ({
  href: `/chat/${id}`,
  icon: openIcons[status] ?? <IconMessageCircle size={18} color={dimmed} aria-hidden />,
  name: title || 'Untitled',
  at: last_message_at ?? created_at,
})
