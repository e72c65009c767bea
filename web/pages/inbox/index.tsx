import { Anchor, Stack, Text } from '@mantine/core'
import { IconHandStop } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Approval } from '../../../runtime/chat/schema.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { Inbox } from '../../parts/inbox.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { NotifyButton } from '../../parts/notify.tsx'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { Row } from '../../parts/row.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { statusesOf } from '../../parts/statuses.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'

/** All that waits for the person, and the approvals that were answered or expired. */
export function InboxPage() {
  const history = usePages('/api/chat/approvals', {})
  const me = useEndpoint('/api/auth/me').data?.user?.id
  const empty = (
    <EmptyState icon={<IconHandStop />} title="Nothing is waiting for you">
      Approvals, questions and requests appear here.
    </EmptyState>
  )
  return (
    <div className="page">
      <PageHeader title="Inbox" description="All that waits for your answer, and the approvals that were answered.">
        <NotifyButton />
      </PageHeader>
      <Stack gap="lg">
        <Inbox title="Waiting for you" empty={empty} />
        <Panel title="History">
          <List
            query={history}
            what="Earlier approvals"
            items={({ pages }) =>
              pages.flatMap(({ approvals }) => approvals.filter(({ status }) => status !== 'pending'))
            }
            empty="No earlier approvals."
          >
            {(approval) => <Row key={approval.id} {...rowOf(approval, me)} />}
          </List>
        </Panel>
      </Stack>
    </div>
  )
}

const statusOf = statusesOf<Approval['status']>()

/** Who decided. Instead of the owner, only an administrator may. */
function deciderOf({ permission_id, resolved_by }: Pick<Approval, 'permission_id' | 'resolved_by'>, me?: string) {
  if (permission_id) return ' by a permission'
  return me && resolved_by ? (resolved_by === me ? ' by you' : ' by an administrator') : ''
}

const rowOf = (
  { summary, status, tool, input, conversation_id, agent_reason, ...one }: Approval,
  me: string | undefined,
) => ({
  name: summary,
  badges: <StatusBadge {...statusOf(status)} />,
  children: (
    <Hint>
      {tool} · <Time at={one.resolved_at ?? one.requested_at} />
      {deciderOf(one, me)} ·{' '}
      <Anchor component={Link} href={`/chat/${conversation_id}`} inherit>
        open the chat
      </Anchor>
    </Hint>
  ),
  details: () => (
    <Stack gap="xs">
      {agent_reason !== null && (
        <Text size="sm">
          The agent said: <q>{agent_reason}</q>
        </Text>
      )}
      <JsonView label="Input" value={input} />
    </Stack>
  ),
})
