import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import type { Container } from '../../../runtime/sandbox/schema.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { StatusBadge } from '../../parts/status.tsx'

export const ContainerStatus = ({ container: { status } }: { container: Container }) =>
  status === 'running' ? <StatusBadge label="Running" color="teal" /> : <StatusBadge label="Stopped" color="gray" />

export const StartStop = ({ container: { id, name, status } }: { container: Container }) => {
  const [action, verb, icon] =
    status === 'running' ? (['stop', 'Stop', IconPlayerStop] as const) : (['start', 'Start', IconPlayerPlay] as const)
  return (
    <ActionButton
      icon={icon}
      aria-label={`${verb} ${name}`}
      run={(api) => api.post(`/api/sandbox/containers/{id}/${action}`, { params: { id } })}
    >
      {verb}
    </ActionButton>
  )
}
