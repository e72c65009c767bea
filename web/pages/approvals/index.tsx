import { Anchor, Badge, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconHandStop } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Approval } from '../../../runtime/chat/schema.ts'
import { pendingApprovals } from '../../api/chat.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { ApprovalCard } from '../../parts/approval.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { NotifyButton } from '../../parts/notify.tsx'
import { PageHeader, Panel, Row } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'

/** Pending approvals, and those that were answered or expired. */
export function Approvals() {
  const pending = useEndpoint('/api/chat/approvals', pendingApprovals)
  const history = usePages('/api/chat/approvals', {})
  const empty = (
    <EmptyState icon={<IconHandStop />} title="Nothing is waiting for you">
      Actions that need your approval appear here.
    </EmptyState>
  )
  return (
    <div className="page">
      <PageHeader title="Approvals" description="Actions that agents take only with your approval.">
        <NotifyButton />
      </PageHeader>
      <Stack gap="lg">
        <Panel title="Waiting for you" count={pending.data?.total}>
          <List
            query={pending}
            what="Approvals"
            items="approvals"
            empty={empty}
            skeleton={<SkeletonRows count={2} />}
          >
            {(approval) => <ApprovalCard key={approval.id} approval={approval} />}
          </List>
        </Panel>
        <Panel title="History">
          <List
            query={history}
            what="Earlier approvals"
            items={({ pages }) =>
              pages.flatMap(({ approvals }) => approvals.filter(({ status }) => status !== 'pending'))
            }
            empty="No earlier approvals."
          >
            {(approval) => <Answered key={approval.id} approval={approval} />}
          </List>
        </Panel>
      </Stack>
    </div>
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
  const {
    summary,
    status,
    tool,
    resolved_at,
    requested_at,
    resolved_by,
    conversation_id,
    input,
    agent_reason,
  } = approval
  const [opened, setOpened] = useState(false)
  const { label, color } = outcomes[status]
  return (
    <Row
      name={summary}
      actions={<Badge color={color}>{label}</Badge>}
      details={
        opened && (
          <Stack gap="xs">
            {agent_reason !== null && (
              <Text size="sm">
                The agent said: <q>{agent_reason}</q>
              </Text>
            )}
            <JsonView label="Input" value={input} />
          </Stack>
        )
      }
    >
      <Hint>
        {tool} · <Time at={resolved_at ?? requested_at} />
        {resolved_by && ` by ${resolved_by}`} ·{' '}
        <Anchor component={Link} href={`/chat/${conversation_id}`} inherit>
          open the chat
        </Anchor>{' '}
        ·{' '}
        <UnstyledButton fz="xs" td="underline" aria-expanded={opened} onClick={() => setOpened(!opened)}>
          {opened ? 'hide the details' : 'show the details'}
        </UnstyledButton>
      </Hint>
    </Row>
  )
}
