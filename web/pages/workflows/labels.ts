import type { ExecutionStatus, Issue, NodeRun, TriggerKind, Workflow } from '../../../runtime/workflows/schema.ts'
import type { Status } from '../../parts/status.tsx'
import { capitalized } from '../../parts/text.ts'

export const workflowLabels: Record<Workflow['status'], Status> = {
  draft: { label: 'Draft', color: 'gray' },
  active: { label: 'Active', color: 'teal' },
  disabled: { label: 'Disabled', color: 'gray' },
}

export const runLabels: Record<ExecutionStatus, Status> = {
  queued: { label: 'Queued', color: 'gray' },
  running: { label: 'Running', color: 'ember' },
  waiting: { label: 'Waiting', color: 'yellow' },
  succeeded: { label: 'Succeeded', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
  timed_out: { label: 'Timed out', color: 'red' },
}

export const statusOf = (run: Pick<NodeRun, 'status'> | undefined): Status | undefined => run && runLabels[run.status]

export const triggerLabels: Record<TriggerKind, string> = {
  manual: 'Manual',
  schedule: 'Schedule',
  webhook: 'Webhook',
  form: 'Form',
  event: 'Event',
  channel: 'Channel',
  sub_workflow: 'Another workflow',
  error: 'Error of another workflow',
  tool: 'Tool call',
}

/** The label of a status, also of one that this page does not know. */
export const labelOfRun = (status: string): string =>
  (runLabels as Record<string, Status | undefined>)[status]?.label ?? status

/** "HTTP request → URL is required" */
export const problemText = ({ place, message }: Pick<Issue, 'place' | 'message'>): string => `${place} ${message}`

/** The message of an issue next to its field or node. */
export const issueText = (message: string): string => capitalized(message.replace(/^is (?=required|not )/, ''))
