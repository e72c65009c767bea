import { Button, Drawer, Group, Modal, Text } from '@mantine/core'
import { IconRobotOff } from '@tabler/icons-react'
import { useState } from 'react'
import type { Agent } from '../../api/agents.ts'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { AgentForm } from './agent-form.tsx'
import { NewAgentForm } from './new-agent-form.tsx'

interface AgentDrawerProps {
  /** `new` or an agent's id. */
  id: string
  /** Undefined while the list is loading. */
  agents: Agent[] | undefined
  close: () => void
}

export function AgentDrawer({ id, agents, close }: AgentDrawerProps) {
  const [dirty, setDirty] = useState(false)
  const [asking, setAsking] = useState(false)
  const agent = agents?.find((candidate) => candidate.id === id)
  const title = id === 'new' ? 'New agent' : (agent?.name ?? 'Agent')
  const leave = () => {
    setDirty(false)
    setAsking(false)
    close()
  }
  return (
    <>
      <Drawer
        opened
        onClose={() => (dirty ? setAsking(true) : leave())}
        position="right"
        size="lg"
        title={title}
      >
        {id === 'new' && <NewAgentForm close={leave} />}
        {id !== 'new' && agent && <AgentForm key={id} agent={agent} setDirty={setDirty} close={leave} />}
        {id !== 'new' && !agent && <Absent loading={!agents} />}
      </Drawer>
      {/* Mounted anew each time: one that is only hidden would take the same Esc that asked for it, and close. */}
      {asking && <Discard keep={() => setAsking(false)} discard={leave} />}
    </>
  )
}

function Absent({ loading }: { loading: boolean }) {
  if (loading) return <SkeletonRows count={6} />
  return (
    <EmptyState icon={<IconRobotOff />} title="No such agent">
      It may have been deleted.
    </EmptyState>
  )
}

function Discard({ keep, discard }: { keep: () => void; discard: () => void }) {
  return (
    <Modal opened onClose={keep} title="Discard your changes?" size="sm">
      <Text size="sm" mb="md">
        What you changed here is not saved yet.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={discard}>
          Discard
        </Button>
        <Button data-autofocus onClick={keep}>
          Keep editing
        </Button>
      </Group>
    </Modal>
  )
}
