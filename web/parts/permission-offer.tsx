import { Anchor, Text } from '@mantine/core'
import { useState } from 'react'
import type { z } from 'zod'
import type {
  Proposal as ProposalSchema,
  Simulation as SimulationSchema,
} from '../../runtime/chat/permission-proposals.ts'
import type { Approval } from '../../runtime/chat/schema.ts'
import { useEndpoint } from '../api/query.ts'
import { useAgentName } from './agents.ts'
import { FormModal } from './form-modal.tsx'
import { counted } from './numbers.ts'
import { Time } from './time.tsx'
import { Hint } from './typography.tsx'
import { useChange } from './use-change.ts'

export type Proposal = z.output<typeof ProposalSchema>

/** What a person has allowed several times before, below the question; `approve` answers it too. */
export function PermissionOffer({ approval, approve }: { approval: Approval; approve: () => void }) {
  const query = useEndpoint('/api/permissions/proposals', { query: { approval_id: approval.id } })
  const [shown, setShown] = useState(false)
  const [proposal] = query.data?.proposals ?? []
  if (!proposal) return null
  return (
    <Text size="sm">
      You allowed this {counted(proposal.count, 'time', 'times')}.{' '}
      <Anchor component="button" type="button" underline="always" inherit onClick={() => setShown(true)}>
        Always allow it{targetOf(proposal)}?
      </Anchor>
      {shown && <ProposalDialog proposal={proposal} close={() => setShown(false)} saved={approve} />}
    </Text>
  )
}

/** Where the calls go, if that is one place. */
function targetOf({ permission: { match = [] } }: Proposal): string {
  const place = match.find(({ op }) => op === 'host' || op === 'prefix')
  return place ? ` ${place.op === 'host' ? 'for' : 'in'} ${place.value}` : ''
}

interface ProposalDialogProps {
  proposal: Proposal
  close: () => void
  saved?: () => void
}

/** Shows what a permission would have answered before it is saved. */
export function ProposalDialog({ proposal, close, saved }: ProposalDialogProps) {
  const { permission, summary, simulation } = proposal
  const agent = useAgentName(permission.scope?.agent_id) ?? 'this agent'
  const save = useChange((api) => api.post('/api/permissions', { body: permission }), {
    done() {
      close()
      saved?.()
    },
  })
  return (
    <FormModal
      title="Always allow this?"
      verb="Always allow"
      submit={() => save.mutate()}
      isPending={save.isPending}
      close={close}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <b>{agent}</b> will no longer ask about <b>{summary}</b>.
      </Text>
      <Simulated simulation={simulation} />
      <Hint>
        Actions with a high risk, and those after external content, still ask. You can revoke this in Settings.
      </Hint>
    </FormModal>
  )
}

/** What a permission would have answered. */
export function Simulated({ simulation }: { simulation: z.output<typeof SimulationSchema> }) {
  const { would_allow, would_still_ask, examples } = simulation
  const total = would_allow + would_still_ask
  if (total === 0) return <Hint>Nobody was asked about this tool in the last 30 days.</Hint>
  return (
    <section aria-label="Last 30 days">
      <Text size="sm">
        In the last 30 days it would have answered {would_allow} of {counted(total, 'question', 'questions')} about this
        tool.
      </Text>
      {examples.map(({ summary, requested_at, status, allowed }) => (
        <Hint key={requested_at + summary} style={{ overflowWrap: 'anywhere' }}>
          {allowed ? 'Allowed' : 'Asks'}: {summary} · <Time at={requested_at} />
          {status === 'rejected' && ' · you rejected it'}
        </Hint>
      ))}
    </section>
  )
}
