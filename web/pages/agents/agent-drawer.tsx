import { Drawer } from '@mantine/core'
import type { Agent } from '../../api/agents.ts'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { IconRobotOff } from '@tabler/icons-react'
import { AgentForm } from './agent-form.tsx'
import { NewAgentForm } from './new-agent-form.tsx'

interface AgentDrawerProps {
  /** `new`, an agent's id, or null while the drawer is closed. */
  id: string | null
  /** Undefined while the list is loading. */
  agents: Agent[] | undefined
  close: () => void
}

export function AgentDrawer({ id, agents, close }: AgentDrawerProps) {
  const agent = agents?.find((candidate) => candidate.id === id)
  const title = id === 'new' ? 'New agent' : (agent?.name ?? 'Agent')
  return (
    <Drawer opened={id !== null} onClose={close} position="right" size="lg" title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      {id === 'new' && <NewAgentForm close={close} />}
      {id !== null && id !== 'new' && <Existing key={id} {...{ agent, agents, close }} />}
    </Drawer>
  )
}

function Existing({ agent, agents, close }: Pick<AgentDrawerProps, 'agents' | 'close'> & { agent: Agent | undefined }) {
  if (agent) return <AgentForm agent={agent} close={close} />
  if (!agents) return <SkeletonRows count={6} />
  return <EmptyState icon={<IconRobotOff />} title="No such agent">It may have been deleted.</EmptyState>
}
