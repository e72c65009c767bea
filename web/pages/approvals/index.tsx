import { Anchor, Badge, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconHandStop } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Approval } from '../../../runtime/chat/schema.ts'
import { pendingApprovals } from '../../api/chat.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { ApprovalCard } from '../../parts/approval.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { NotifyButton } from '../../parts/notify.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ShowMore } from '../../parts/show-more.tsx'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

/** Pending approvals, and those that were answered or expired. */
export function Approvals() {
  const pending = useEndpoint('/api/chat/approvals', pendingApprovals)
  return (
    <div className="page">
      <PageHeader title="Approvals" description="Actions that agents take only with your approval.">
        <NotifyButton />
      </PageHeader>
      <Stack gap="lg">
        <Panel title="Waiting for you" count={pending.data?.total}>
          <Loaded query={pending} what="Approvals" skeleton={<SkeletonRows count={2} />}>
            {({ approvals }) =>
              approvals.length === 0 ? (
                <EmptyState icon={<IconHandStop />} title="Nothing is waiting for you">
                  Actions that need your approval appear here.
                </EmptyState>
              ) : (
                approvals.map((approval) => <ApprovalCard key={approval.id} approval={approval} />)
              )
            }
          </Loaded>
        </Panel>
        <History />
      </Stack>
    </div>
  )
}

function History() {
  const query = usePages('/api/chat/approvals', {})
  return (
    <Panel title="History">
      <Loaded query={query} what="Earlier approvals">
        {({ pages }) => {
          const answered = pages
            .flatMap((page) => page.approvals)
            .filter(({ status }) => status !== 'pending')
          if (answered.length === 0 && !query.hasNextPage)
            return (
              <Text size="sm" c="dimmed" px="md" pb="md">
                No approvals yet.
              </Text>
            )
          return (
            <>
              {answered.map((approval) => (
                <Answered key={approval.id} approval={approval} />
              ))}
              <ShowMore query={query} />
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

const outcomes: Record<Approval['status'], { label: string; color: string }> = {
  pending: { label: 'Waiting', color: 'yellow' },
  approved: { label: 'Approved', color: 'teal' },
  rejected: { label: 'Rejected', color: 'red' },
  expired: { label: 'Expired', color: 'gray' },
  cancelled: { label: 'Cancelled', color: 'gray' },
}

function Answered({ approval }: { approval: Approval }) {
  const [opened, setOpened] = useState(false)
  const { label, color } = outcomes[approval.status]
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={approval.summary}>
      <div className="words">
        <Text size="sm">{approval.summary}</Text>
        <Text size="xs" c="dimmed" component="div">
          {approval.tool} · <Time at={approval.resolved_at ?? approval.requested_at} />
          {approval.resolved_by && ` by ${approval.resolved_by}`} ·{' '}
          <Anchor component={Link} href={`/chat/${approval.conversation_id}`} inherit>
            open the chat
          </Anchor>{' '}
          ·{' '}
          <UnstyledButton fz="xs" td="underline" aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {opened ? 'hide the input' : 'show the input'}
          </UnstyledButton>
        </Text>
      </div>
      <Badge variant="light" color={color}>
        {label}
      </Badge>
      {opened && (
        <div style={{ flexBasis: '100%', minWidth: 0 }}>
          <JsonView label="Input" value={approval.input} />
        </div>
      )}
    </article>
  )
}
