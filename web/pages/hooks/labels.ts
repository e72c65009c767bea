import type { IncomingAuth } from '../../../runtime/hooks/incoming.ts'
import type { Status } from '../../parts/status.tsx'
import { statusesOf } from '../../parts/statuses.ts'

/** With the name of the header. */
export const withHeader = (label: string, auth: IncomingAuth): string =>
  'header' in auth ? label.replace('a header', auth.header) : label

export const enabledStatus = (enabled: boolean): Status =>
  enabled ? { label: 'Enabled', color: 'teal' } : { label: 'Disabled', color: 'gray' }

/** The status of a delivery or a run. */
export const endOf = statusesOf<string>({ pending: 'Waiting' }, { pending: 'yellow', skipped: 'yellow' })
