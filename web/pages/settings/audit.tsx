import { Badge } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useSearchParams } from 'wouter'
import type { AuditEntry } from '../../../runtime/auth/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { settingsSections } from '../../app/settings-sections.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Pages } from '../../parts/pages.tsx'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'

const perPage = 50

/** The audit log, newest first. The page number is in the URL. */
export function Audit() {
  const [search, setSearch] = useSearchParams()
  const page = Math.max(1, Number(search.get('page')) || 1)
  const query = useEndpoint(
    '/api/auth/audit',
    { query: { limit: perPage, offset: (page - 1) * perPage } },
    { keepPrevious: true },
  )
  const nameOf = useTargetNames()
  return (
    <section className="card" aria-label="Audit log">
      <Loaded query={query} what="The audit log">
        {({ entries, total }) =>
          entries.length === 0 ? (
            <EmptyState icon={<IconHistory />} title="Nothing on this page" />
          ) : (
            <>
              <DataTable
                label="Entries"
                minWidth={680}
                verticalSpacing="xs"
                highlightOnHover
                head={['Time', 'User', 'Action', 'Target', 'IP address', 'Outcome']}
                rows={entries.map((entry) => cellsOf(entry, nameOf(entry)))}
              />
              <Pages
                count={counted(total, 'entry', 'entries')}
                {...{ total, page }}
                size={perPage}
                change={(next) => setSearch({ page: String(next) })}
              />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const outcomes: Record<AuditEntry['outcome'], { color: string; label: string }> = {
  ok: { color: 'teal', label: 'OK' },
  denied: { color: 'red', label: 'Denied' },
  failed: { color: 'yellow', label: 'Failed' },
}

function cellsOf({ at, actor, action, target, ip, outcome }: AuditEntry, name: string | null) {
  const { color, label } = outcomes[outcome]
  return [
    <Time key="at" at={at} />,
    actor,
    <span key="action" title={action}>
      {actionLabel(action)}
    </span>,
    <span key="target" title={target} className={name === null ? 'mono' : undefined}>
      {name ?? target}
    </span>,
    <span key="ip" className="mono">
      {ip.replace(/^::ffff:/, '')}
    </span>,
    <Badge key="outcome" color={color}>
      {label}
    </Badge>,
  ]
}

/** Actions whose wire name does not read well. */
const actions: Record<string, string> = {
  'user.logged_in': 'Signed in',
  'user.logged_out': 'Signed out',
  'owner.viewed': "Viewed another user's data",
  'device.code_created': 'Pairing code created',
  'device.frame_refused': 'Device message refused',
  'feature.install': 'Feature installed',
  'settings.undone': 'Settings change undone',
  'skill.toggled': 'Skill turned on or off',
}

/** `backup.restore_requested` becomes `Backup restore requested`. */
const actionLabel = (action: string): string =>
  actions[action] ?? labelOf(action.replaceAll('.', ' ').replace(/^key\b/, 'API key'))

/** Returns the name of a target; null if it is not known, or no longer. */
function useTargetNames(): (entry: AuditEntry) => string | null {
  const users = useEndpoint('/api/auth/users').data?.users ?? []
  const named = [
    ...users.map(({ id, username }) => ({ id, name: username })),
    ...(useEndpoint('/api/auth/keys').data?.keys ?? []),
    ...(useEndpoint('/api/devices').data?.devices ?? []),
    ...(useEndpoint('/api/channels').data?.channels ?? []),
    ...(useEndpoint('/api/monitoring/alerts').data?.alerts ?? []),
    ...settingsSections.map(({ id, label }) => ({ id, name: label })),
  ]
  return ({ action, target }) => {
    if (action === 'backup.requested' && target === 'new') return 'New backup'
    const section = /^(settings|setup)\./.test(action) ? labelOf(target) : null
    return named.find(({ id }) => id === target)?.name ?? section
  }
}
