import type { Status } from '../../parts/status.tsx'
import type { ActionValues } from './fields.tsx'

export const actionLabels: Record<ActionValues['kind'], string> = {
  none: 'Record only',
  agent: 'Start an agent',
  message: 'Send to a conversation',
  workflow: 'Run a workflow',
  job: 'Run a job',
  loop: 'Start a loop',
  project: 'Run a project again',
  http: 'Send a request',
  notify: 'Notify me',
  decide: 'Decide with a rule',
}

export const enabledStatus = (enabled: boolean): Status =>
  enabled ? { label: 'Enabled', color: 'teal' } : { label: 'Disabled', color: 'gray' }

/** Status badges of deliveries and runs. */
export const endLabels: Record<string, Status> = {
  pending: { label: 'Waiting', color: 'yellow' },
  succeeded: { label: 'Succeeded', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
  recorded: { label: 'Recorded', color: 'gray' },
  skipped: { label: 'Skipped', color: 'yellow' },
}

export const endOf = (status: string): Status => endLabels[status] ?? { label: status, color: 'gray' }
