import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { pendingApprovalsQuery } from '../../api/chat.ts'
import { useApi } from '../../app/services.tsx'
import { ApprovalCard } from '../../parts/approval.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'

/** The approvals that wait in all conversations. */
export function Approvals() {
  const pending = useQuery(pendingApprovalsQuery(useApi()))
  const all = (
    <Anchor component={Link} href="/approvals" size="sm" underline="hover">
      All
    </Anchor>
  )
  return (
    <Panel title="Needs you" count={pending.data?.total} action={all}>
      <Loaded query={pending} what="Approvals" skeleton={<SkeletonRows count={1} />}>
        {({ approvals }) =>
          approvals.length === 0 ? (
            <Text size="sm" c="dimmed" px="md" pb="md">
              Nothing is waiting for you.
            </Text>
          ) : (
            approvals.map((approval) => <ApprovalCard key={approval.id} approval={approval} />)
          )
        }
      </Loaded>
    </Panel>
  )
}
