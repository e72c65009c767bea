import type { Binding, Channel, LogEntry, Pairing } from '../../../runtime/channels/schema.ts'
import type { Status } from '../../parts/status.tsx'

export const statuses: Record<Channel['status'], Status> = {
  connected: { label: 'Connected', color: 'teal' },
  connecting: { label: 'Connecting', color: 'yellow' },
  disconnected: { label: 'Not connected', color: 'gray' },
  error: { label: 'Error', color: 'red' },
}

export const outcomes: Record<LogEntry['outcome'], Status> = {
  ok: { label: 'OK', color: 'teal' },
  ignored: { label: 'Ignored', color: 'gray' },
  refused: { label: 'Refused', color: 'red' },
  error: { label: 'Error', color: 'red' },
}

export const directions: Record<LogEntry['direction'], string> = {
  inbound: 'In',
  outbound: 'Out',
  connection: 'Connection',
}

export const dmPolicies: { value: Channel['settings']['dm_policy']; label: string }[] = [
  { value: 'pairing', label: 'People you approve' },
  { value: 'allowlist', label: 'People on the allowlist' },
  { value: 'open', label: 'Everyone' },
  { value: 'disabled', label: 'Nobody' },
]

export const groupPolicies: { value: Channel['settings']['group_policy']; label: string }[] = [
  { value: 'mention', label: 'Answer when mentioned' },
  { value: 'allowlist', label: 'Answer every message' },
  { value: 'disabled', label: 'Never answer' },
]

export const scopes: { value: Binding['session_scope']; label: string }[] = [
  { value: 'per_peer', label: 'One conversation per chat' },
  { value: 'per_channel', label: 'One conversation for the channel' },
  { value: 'main', label: 'One conversation for all your channels' },
]

export const pairingStatus = ({ status, role }: Pairing): Status =>
  status === 'pending'
    ? { label: 'Waiting for you', color: 'yellow' }
    : status === 'denied'
      ? { label: 'Denied', color: 'red' }
      : { label: role === 'owner' ? 'You' : 'Guest', color: 'teal' }

export const notifications = {
  approval: 'An approval is waiting for you',
  job_failed: 'A job fails',
  budget: 'A budget is nearly or fully used',
  alert: 'An alert fires',
  pairing: 'Someone asks to be paired',
}
