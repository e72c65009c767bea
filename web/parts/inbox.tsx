import { IconChecklist, IconDevices, IconHandStop, IconMessages, IconRepeat, IconSchema } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Waiting } from '../../runtime/inbox.ts'
import { pendingApprovals } from '../api/chat.ts'
import { useInbox } from '../api/inbox.ts'
import { useEndpoint } from '../api/query.ts'
import { ApprovalCard } from './approval.tsx'
import { lazily } from './lazily.ts'
import { LinkRow } from './link-row.tsx'
import { List, SkeletonRows } from './list.tsx'
import { Panel } from './page.tsx'

/** As high as most questions, so that what is below it stays where it is. */
const questionSkeleton = <SkeletonRows count={4} />
const LoopQuestion = lazily(() => import('./loop-question.tsx'), 'LoopQuestion', questionSkeleton)

const project = { icon: IconChecklist, label: 'Project' }
const kinds: Record<Waiting['kind'], { icon: typeof IconChecklist; label: string }> = {
  approval: { icon: IconHandStop, label: 'Approval' },
  plan: project,
  phase: project,
  question: project,
  loop: { icon: IconRepeat, label: 'Loop' },
  workflow: { icon: IconSchema, label: 'Workflow' },
  device: { icon: IconDevices, label: 'Device' },
  pairing: { icon: IconMessages, label: 'Channel' },
}

interface InboxProps {
  title: string
  empty: ReactNode
  action?: ReactNode
}

/** All that waits for the person: answered in place if it can be, else on the page that its row opens. */
export function Inbox({ title, empty, action }: InboxProps) {
  const inbox = useInbox()
  return (
    <Panel title={title} count={inbox.data?.total} action={action}>
      <List query={inbox} what="The inbox" items="items" empty={empty} skeleton={<SkeletonRows count={1} />}>
        {(waiting, index) => <Item key={`${waiting.kind} ${waiting.id} ${index}`} waiting={waiting} />}
      </List>
    </Panel>
  )
}

function Item({ waiting }: { waiting: Waiting }) {
  if (waiting.kind === 'approval') return <ApprovalItem waiting={waiting} />
  return waiting.kind === 'loop' ? <LoopItem waiting={waiting} /> : <WaitingRow waiting={waiting} />
}

function ApprovalItem({ waiting }: { waiting: Waiting }) {
  const { data, isFetching } = useEndpoint('/api/chat/approvals', pendingApprovals)
  const approval = data?.approvals.find(({ id }) => id === waiting.id)
  if (approval) return <ApprovalCard approval={approval} />
  return isFetching ? <SkeletonRows count={1} /> : <WaitingRow waiting={waiting} />
}

function LoopItem({ waiting }: { waiting: Waiting }) {
  const { data, isFetching } = useEndpoint('/api/loops', { query: { status: 'blocked' } })
  const loop = data?.loops.find(({ id }) => id === waiting.id)
  if (loop) return <LoopQuestion loop={loop} />
  return isFetching ? questionSkeleton : <WaitingRow waiting={waiting} />
}

function WaitingRow({ waiting: { kind, title, detail, asked_at, href } }: { waiting: Waiting }) {
  const { icon: Icon, label } = kinds[kind]
  const icon = <Icon size={18} color="var(--mantine-color-yellow-7)" aria-label={label} />
  return <LinkRow href={href} icon={icon} name={title} detail={detail} at={asked_at} />
}
