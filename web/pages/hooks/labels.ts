import type { IncomingAuth } from '../../../runtime/hooks/incoming.ts'
import { plainOf } from '../../parts/schema/schema.ts'
import { useBodySchemas } from '../../parts/schema/use-body-schema.ts'
import type { Status } from '../../parts/status.tsx'

/** The label of the kind of an action or an authentication, which the schema of its collection has. */
export function useKindLabel(path: string, field: 'action' | 'auth') {
  const member = useBodySchemas(path).create?.properties?.[field]
  const labels = member && plainOf(member).schema.labels
  return (value: { kind: string } | null) => labels?.[value?.kind ?? 'null'] ?? ''
}

/** With the name of the header. */
export const withHeader = (label: string, auth: IncomingAuth): string =>
  'header' in auth ? label.replace('a header', auth.header) : label

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
