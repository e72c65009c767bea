import { IconBell, IconClock } from '@tabler/icons-react'
import { useLocation, useParams } from 'wouter'
import type { Alert } from '../../../runtime/monitoring/alerts.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { useIsAdmin } from '../../parts/administrators-only.tsx'
import { ActionButton, AddButton, LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { alertStates } from './labels.ts'

const AlertDrawer = lazily(() => import('./alert-form.tsx'), 'AlertDrawer')

export function Alerts() {
  const { id } = useParams<{ id?: string }>()
  const [, navigate] = useLocation()
  const query = useEndpoint('/api/monitoring/alerts', { query: { limit: 200 } })
  const mayChange = useIsAdmin() ?? false
  const add = mayChange && <AddButton onClick={() => navigate('/monitor/alerts/new')}>New alert</AddButton>
  const opened = query.data?.alerts.find((alert) => alert.id === id)
  return (
    <Panel title="Alerts" count={query.data?.total} action={add}>
      <List
        query={query}
        what="Alerts"
        items={({ alerts }) => alerts}
        skeleton={<SkeletonRows count={3} height={64} />}
        empty={
          <EmptyState icon={<IconBell />} title="No alerts yet">
            An alert watches a metric, such as today’s cost or free disk space, and notifies you once when it
            passes a limit.
          </EmptyState>
        }
      >
        {(alert) => <AlertRow key={alert.id} alert={alert} mayChange={mayChange} />}
      </List>
      {query.data && (opened || id === 'new') && (
        <AlertDrawer
          key={id}
          alert={opened ?? null}
          metrics={query.data?.metrics ?? []}
          close={() => navigate('/monitor/alerts')}
        />
      )}
    </Panel>
  )
}

function AlertRow({ alert, mayChange }: { alert: Alert; mayChange: boolean }) {
  const { id, name, summary, state, enabled, value_text, error, last_triggered, snoozed_until } = alert
  return (
    <Row
      name={name}
      badges={<StatusBadge {...(enabled ? alertStates[state] : { label: 'Off', color: 'gray' })} />}
      actions={
        <>
          {mayChange && enabled && <StateButtons alert={alert} />}
          <LinkButton
            href={`/monitor/alerts/${id}`}
            aria-label={`${mayChange ? 'Edit' : 'History of'} ${name}`}
          >
            {mayChange ? 'Edit' : 'History'}
          </LinkButton>
        </>
      }
    >
      <Hint>
        {summary}
        {value_text !== null && ` · now ${value_text}`}
        <When label="last fired" at={last_triggered} />
        <When label="snooze ends" at={snoozed_until} />
      </Hint>
      {error !== null && <Hint c="var(--mantine-color-error)">Cannot be computed: {error}</Hint>}
    </Row>
  )
}

const snoozes = [
  { minutes: 60, label: '1 hour' },
  { minutes: 480, label: '8 hours' },
  { minutes: 1_440, label: '1 day' },
  { minutes: 10_080, label: '1 week' },
]

function StateButtons({ alert: { id, name, state } }: { alert: Alert }) {
  const params = { id }
  const stale = ['/api/monitoring/alerts']
  const acknowledge = useChange((api) => api.post('/api/monitoring/alerts/{id}/acknowledge', { params }), {
    stale,
  })
  const resolve = useChange((api) => api.post('/api/monitoring/alerts/{id}/resolve', { params }), { stale })
  const snooze = useChange(
    (api, minutes: number) => api.post('/api/monitoring/alerts/{id}/snooze', { params, body: { minutes } }),
    { stale },
  )
  return (
    <>
      {state === 'firing' && <ActionButton run={acknowledge}>Acknowledge</ActionButton>}
      {state !== 'ok' && (
        <ActionButton run={resolve}>{state === 'snoozed' ? 'End snooze' : 'Resolve'}</ActionButton>
      )}
      <ActionMenu
        actions={snoozes.map(({ minutes, label }) => ({ label, onClick: () => snooze.mutate(minutes) }))}
      >
        <SmallButton icon={IconClock} loading={snooze.isPending} aria-label={`Snooze ${name}`}>
          Snooze
        </SmallButton>
      </ActionMenu>
    </>
  )
}
