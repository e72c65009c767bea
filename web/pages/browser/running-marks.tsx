import { Badge, Group } from '@mantine/core'
import { Link } from 'wouter'
import { counted } from '../../parts/numbers.ts'
import { useDesk } from './desk.tsx'

/** What goes on beside the page, each a way to where it is ended. */
export function RunningMarks() {
  const { state } = useDesk().live
  if (!state) return null
  const marks = [
    state.recording_id && { to: 'recordings', color: 'red', label: 'Recording' },
    state.screen_recording_id && { to: 'recordings', color: 'red', label: 'Filming' },
    state.replay_id && { to: 'recordings', color: 'blue', label: 'Replaying' },
    state.har && { to: 'network', color: 'red', label: 'HAR' },
    state.mocks > 0 && { to: 'network', color: 'gray', label: counted(state.mocks, 'mock', 'mocks') },
  ].filter((mark) => typeof mark === 'object' && mark !== null)
  if (marks.length === 0) return null
  return (
    <Group gap={6} role="status" aria-label="What runs">
      {marks.map(({ to, color, label }) => (
        <Badge
          key={label}
          component={Link}
          href={`/browser/${to}`}
          variant="light"
          color={color}
          c="var(--mantine-color-text)"
          style={{ cursor: 'pointer' }}
        >
          {label}
        </Badge>
      ))}
    </Group>
  )
}
