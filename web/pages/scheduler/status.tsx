import type { EdgeType, Job, ShownRun as Run, RunStatus } from '../../../runtime/scheduler/schema.ts'
import { type Status, StatusBadge } from '../../parts/status.tsx'

export const runLabels: Record<RunStatus, Status> = {
  queued: { label: 'Queued', color: 'gray' },
  running: { label: 'Running', color: 'ember' },
  succeeded: { label: 'Succeeded', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  timed_out: { label: 'Timed out', color: 'red' },
  lost: { label: 'Lost', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
  skipped: { label: 'Skipped', color: 'yellow' },
  missed: { label: 'Missed', color: 'yellow' },
}

export const jobLabels: Record<Job['status'], Status> = {
  active: { label: 'Active', color: 'teal' },
  paused: { label: 'Paused', color: 'yellow' },
  completed: { label: 'Completed', color: 'gray' },
  failed: { label: 'Failed', color: 'red' },
}

/** Status of a chain, or of one of its jobs, in the last run of the chain. */
const chainLabels: Record<string, Status> = { ...runLabels, left_out: { label: 'Not run', color: 'gray' } }

export const chainStatus = (status: string): Status => chainLabels[status] ?? { label: status, color: 'gray' }

export const triggerLabels: Record<Run['trigger'], string> = {
  schedule: 'Scheduled',
  manual: 'Manual',
  retry: 'Retry',
  catchup: 'Catch-up',
  chain: 'Chain',
  backfill: 'Backfill',
}

export const edgeLabels: Record<EdgeType, string> = {
  on_success: 'on success',
  on_failure: 'on failure',
  on_complete: 'always',
}

export const RunBadge = ({ run: { status, waiting_approval } }: { run: Run }) => (
  <StatusBadge {...(waiting_approval ? { label: 'Needs approval', color: 'yellow' } : runLabels[status])} />
)
