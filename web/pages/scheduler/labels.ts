import type { Job, RunStatus } from '../../api/scheduler.ts'

type Color = 'teal' | 'yellow' | 'red' | 'gray' | 'ember'

export const runLabels: Record<RunStatus, { label: string; color: Color }> = {
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

export const jobLabels: Record<Job['status'], { label: string; color: Color }> = {
  active: { label: 'Active', color: 'teal' },
  paused: { label: 'Paused', color: 'yellow' },
  completed: { label: 'Completed', color: 'gray' },
  failed: { label: 'Failed', color: 'red' },
}

export const triggerLabels = {
  schedule: 'on schedule',
  manual: 'by hand',
  retry: 'another try',
  catchup: 'made up for a missed time',
  chain: 'by a chain',
  backfill: 'backfill',
} as const
