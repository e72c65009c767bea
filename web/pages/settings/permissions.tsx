import { NativeSelect, Stack } from '@mantine/core'
import { IconHandStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Permission } from '../../../runtime/chat/permissions.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { Loaded } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { type Proposal, ProposalDialog, Simulated } from '../../parts/permission-offer.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import { Row } from '../../parts/row.tsx'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import { useOptions } from '../../parts/schema/pickers.ts'
import { exact, Time, useZone } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'

const path = '/api/permissions'

export const Permissions = () => (
  <Stack>
    <Proposals />
    <ResourcePage
      path={path}
      items="permissions"
      noun="permission"
      title="Permissions"
      icon={IconHandStop}
      empty="Agents ask before they act. When you have allowed the same thing three times, you can allow it always."
      form={{
        name: ({ summary }) => summary,
        fields: { until: (props) => <Expiry {...props} /> },
        layout: ['tool', 'match', { title: 'Limits', folded: true, fields: ['scope', 'hours', 'until', 'uses_left'] }],
        effect: false,
        more: (values) => <Test permission={values} />,
      }}
      row={(permission) => ({
        name: permission.summary,
        actions: (
          <ActionButton
            aria-label={`Revoke ${permission.summary}`}
            run={(api) => api.delete(`${path}/{id}`, { params: { id: permission.id } })}
          >
            Revoke
          </ActionButton>
        ),
        verb: 'Test',
        details: () => <Tested permission={fieldsOf(permission)} />,
        children: <Limits permission={permission} />,
      })}
    />
  </Stack>
)

const fieldsOf = ({ tool, match, scope, hours, until, uses_left }: Permission) => {
  return { tool, match, scope, hours, until, uses_left }
}

function Limits({ permission: { scope, hours, until, uses_left, uses, last_used_at } }: { permission: Permission }) {
  const zone = useZone()
  const limits = [
    hours && `from ${hours.start} to ${hours.end}`,
    until && `until ${exact(until, zone)}`,
    uses_left !== null && counted(uses_left, 'use left', 'uses left'),
  ].filter(Boolean)
  return (
    <Hint>
      {Object.entries(scope).map(([name, id]) => id && <Thing key={name} kind={name.replace('_id', '')} id={id} />)}
      {limits.map((limit) => `${limit} · `)}
      {last_used_at ? (
        <>
          used {counted(uses, 'time', 'times')}, last <Time at={last_used_at} />
        </>
      ) : (
        'not used yet'
      )}
    </Hint>
  )
}

function Thing({ kind, id }: { kind: string; id: string }) {
  const name = useOptions(kind)?.find(({ value }) => value === id)?.label
  return `only for the ${kind} ${name ?? '…'} · `
}

function Proposals() {
  const query = useEndpoint('/api/permissions/proposals')
  const [chosen, setChosen] = useState<Proposal | null>(null)
  const { proposals = [] } = query.data ?? {}
  if (proposals.length === 0) return null
  return (
    <Panel title="Suggestions">
      {proposals.map((proposal) => (
        <Row
          key={JSON.stringify(proposal.permission)}
          name={proposal.summary}
          actions={<SmallButton onClick={() => setChosen(proposal)}>Always allow…</SmallButton>}
        >
          <Hint>Allowed {counted(proposal.count, 'time', 'times')} in the last 30 days</Hint>
        </Row>
      ))}
      {chosen && <ProposalDialog proposal={chosen} close={() => setChosen(null)} />}
    </Panel>
  )
}

/** The test of the form, of what it has when the button is pressed. */
function Test({ permission }: { permission: object }) {
  const [tested, setTested] = useState<object | null>(null)
  return (
    <Stack gap="xs" mt="sm" align="flex-start">
      <SmallButton onClick={() => setTested(permission)}>Test on the last 30 days</SmallButton>
      {tested && <Tested permission={tested} />}
    </Stack>
  )
}

function Tested({ permission }: { permission: object }) {
  const api = useApi()
  const query = useQuery({
    queryKey: [`${path}/simulate`, permission],
    queryFn: () => api.post(`${path}/simulate`, { body: { permission: permission as Permission } }),
    retry: false,
  })
  return (
    <Loaded query={query} what="The test">
      {(simulation) => <Simulated simulation={simulation} />}
    </Loaded>
  )
}

const days = { 'In a day': 1, 'In a week': 7, 'In a month': 30, 'In a year': 365 }

function Expiry({ label, value, change, error }: FieldProps) {
  const zone = useZone()
  const current = typeof value === 'string' ? value : ''
  const later = Object.entries(days).map(([text, count]) => ({ value: String(count), label: text }))
  return (
    <NativeSelect
      {...{ label, error }}
      maw={420}
      value={current}
      data={[
        { value: '', label: 'Never' },
        ...(current ? [{ value: current, label: exact(current, zone) }] : []),
        ...later,
      ]}
      onChange={({ currentTarget: { value: next } }) => {
        const count = Number(next)
        const isNew = next !== '' && !Number.isNaN(count)
        change(isNew ? new Date(Date.now() + count * 86_400_000).toISOString() : next || null, true)
      }}
    />
  )
}
