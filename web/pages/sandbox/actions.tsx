import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import type { Container } from '../../../runtime/sandbox/schema.ts'
import { ActionButton } from '../../parts/buttons.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { useChange } from '../../parts/use-change.ts'

const stale = ['/api/sandbox']

export const ContainerStatus = ({ container }: { container: Container }) =>
  container.status === 'running' ? (
    <StatusBadge label="Running" color="teal" />
  ) : (
    <StatusBadge label="Stopped" color="gray" />
  )

export function StartStop({ container: { id, name, status } }: { container: Container }) {
  const action = status === 'running' ? 'stop' : 'start'
  const run = useChange((api) => api.post(`/api/sandbox/containers/{id}/${action}`, { params: { id } }), {
    stale,
  })
  return (
    <ActionButton
      icon={action === 'stop' ? IconPlayerStop : IconPlayerPlay}
      run={run}
      aria-label={`${action === 'stop' ? 'Stop' : 'Start'} ${name}`}
    >
      {action === 'stop' ? 'Stop' : 'Start'}
    </ActionButton>
  )
}
