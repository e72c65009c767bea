import type { Channel, LogEntry, Pairing } from '../../../runtime/channels/schema.ts'
import type { Status } from '../../parts/status.tsx'
import { statusesOf } from '../../parts/statuses.ts'

export const channelStatus = statusesOf<Channel['status']>({ disconnected: 'Not connected' })

export const outcomeOf = statusesOf<LogEntry['outcome']>({ ok: 'OK' })

export const directions: Record<LogEntry['direction'], string> = {
  inbound: 'In',
  outbound: 'Out',
  connection: 'Connection',
}

export const pairingStatus = ({ status, role }: Pairing): Status =>
  status === 'pending'
    ? { label: 'Waiting for you', color: 'yellow' }
    : status === 'denied'
      ? { label: 'Denied', color: 'red' }
      : { label: role === 'owner' ? 'You' : 'Guest', color: 'teal' }
