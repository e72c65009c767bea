import type { HookAction } from '../../../runtime/hooks/action-schema.ts'
import type { IncomingAuth } from '../../../runtime/hooks/incoming.ts'
import type { Status } from '../../parts/status.tsx'

export const actionLabels: Record<HookAction['kind'] | 'none', string> = {
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

/** How an address verifies its messages, for the form. */
export const authLabels: Record<IncomingAuth['kind'], string> = {
  github: 'GitHub signature',
  gitlab: 'GitLab token',
  stripe: 'Stripe signature',
  slack: 'Slack signature',
  standard: 'Standard Webhooks signature',
  hmac_sha256: 'HMAC-SHA256 in a header',
  token: 'Secret in a header',
  none: 'None: anyone who knows the address',
}

/** The same with the name of the header. */
export const authLabel = (auth: IncomingAuth): string =>
  'header' in auth ? authLabels[auth.kind].replace('a header', auth.header) : authLabels[auth.kind]

export const enabledStatus = (enabled: boolean): Status =>
  enabled ? { label: 'Enabled', color: 'teal' } : { label: 'Disabled', color: 'gray' }

/** Status badges of deliveries and runs. */
const endLabels: Record<string, Status> = {
  pending: { label: 'Waiting', color: 'yellow' },
  succeeded: { label: 'Succeeded', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
  recorded: { label: 'Recorded', color: 'gray' },
  skipped: { label: 'Skipped', color: 'yellow' },
}

export const endOf = (status: string): Status => endLabels[status] ?? { label: status, color: 'gray' }
