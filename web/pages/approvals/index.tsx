import { Stack } from '@mantine/core'
import { IconHandStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '../../api/agents.ts'
import { conversationsQuery, pendingApprovalsQuery } from '../../api/chat.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { NotifyButton } from '../../parts/notify.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { History } from './history.tsx'
import { PendingApproval } from './pending-approval.tsx'

/** Everything that waits for a yes or a no, and what was said before. */
export function Approvals() {
  const api = useApi()
  const pending = useQuery(pendingApprovalsQuery(api))
  const waiting = useQuery({
    ...conversationsQuery(api, { limit: 200 }),
    enabled: Boolean(pending.data?.total),
  })
  const agents = useQuery(agentsQuery(api)).data?.agents ?? []
  const contextOf = (id: string) => {
    const conversation = waiting.data?.conversations.find((one) => one.id === id)
    return { conversation, agent: agents.find((agent) => agent.id === conversation?.agent_id) }
  }
  return (
    <div className="page">
      <PageHeader title="Approvals" description="What agents may only do with your yes.">
        <NotifyButton />
      </PageHeader>
      <Stack gap="lg">
        <Panel title="Waiting for you" count={pending.data?.total}>
          <Loaded query={pending} what="Approvals" skeleton={<SkeletonRows count={2} />}>
            {({ approvals }) =>
              approvals.length === 0 ? (
                <EmptyState icon={<IconHandStop />} title="Nothing waits for you">
                  When an agent wants to do something that needs your yes, it appears here.
                </EmptyState>
              ) : (
                approvals.map((approval) => (
                  <PendingApproval
                    key={approval.id}
                    approval={approval}
                    {...contextOf(approval.conversation_id)}
                  />
                ))
              )
            }
          </Loaded>
        </Panel>
        <History />
      </Stack>
    </div>
  )
}
