import { Badge, Group, Pagination, Table } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useSearchParams } from 'wouter'
import type { AuditEntry } from '../../../runtime/auth/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { actionLabel, outcomeLabels, useTargetNames } from './audit-labels.ts'

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
  return (
    <section className="card" aria-label="Audit log">
      <Loaded query={query} what="The audit log">
        {({ entries, total }) =>
          entries.length === 0 ? (
            <EmptyState icon={<IconHistory />} title="Nothing on this page" />
          ) : (
            <>
              <Entries entries={entries} />
              <Group justify="space-between" p="md">
                <Hint>{counted(total, 'entry', 'entries')}</Hint>
                {total > perPage && (
                  <Pagination
                    size="sm"
                    total={Math.ceil(total / perPage)}
                    value={page}
                    getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
                    getControlProps={(control) => ({ 'aria-label': `${control} page` })}
                    onChange={(next) => setSearch({ page: String(next) })}
                  />
                )}
              </Group>
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const outcomes: Record<AuditEntry['outcome'], string> = { ok: 'teal', denied: 'red', failed: 'yellow' }

function Entries({ entries }: { entries: AuditEntry[] }) {
  const nameOf = useTargetNames()
  return (
    <Table.ScrollContainer minWidth={680} type="native" tabIndex={0} role="region" aria-label="Entries">
      <Table verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            <Table.Th>User</Table.Th>
            <Table.Th>Action</Table.Th>
            <Table.Th>Target</Table.Th>
            <Table.Th>IP address</Table.Th>
            <Table.Th>Outcome</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.id}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Time at={entry.at} />
              </Table.Td>
              <Table.Td>{entry.actor}</Table.Td>
              <Table.Td title={entry.action}>{actionLabel(entry.action)}</Table.Td>
              <Target target={entry.target} name={nameOf(entry)} />
              <Table.Td className="mono" fz="xs">
                {entry.ip.replace(/^::ffff:/, '')}
              </Table.Td>
              <Table.Td>
                <Badge color={outcomes[entry.outcome]}>{outcomeLabels[entry.outcome]}</Badge>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const Target = ({ target, name }: { target: string; name: string | null }) =>
  name === null ? (
    <Table.Td className="mono" fz="xs">
      {target}
    </Table.Td>
  ) : (
    <Table.Td title={target}>{name}</Table.Td>
  )
