import { Badge } from '@mantine/core'
import type { JobStatus, Run, RunStatus } from '../../api/scheduler.ts'
import { jobLabels, runLabels } from './labels.ts'

/** `waiting`: a person is asked before it goes on. */
export function RunBadge({ status, waiting }: { status: RunStatus; waiting?: Run['waiting_approval'] }) {
  const { label, color } = waiting
    ? ({ label: 'Waits for you', color: 'yellow' } as const)
    : runLabels[status]
  return (
    <Badge size="sm" variant="light" color={color}>
      {label}
    </Badge>
  )
}

export function JobBadge({ status }: { status: JobStatus }) {
  const { label, color } = jobLabels[status]
  return (
    <Badge size="sm" variant="light" color={color}>
      {label}
    </Badge>
  )
}
