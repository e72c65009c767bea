import { IconBell, IconClock } from '@tabler/icons-react'
import { useLocation, useParams } from 'wouter'
import type { Alert } from '../../../runtime/monitoring/alerts.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { useIsAdmin } from '../../parts/administrators-only.tsx'
import { AddButton, LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { alertStatus } from './labels.ts'

const AlertDrawer = lazily(() => import('./alert-form.tsx'), 'AlertDrawer')

const path = '/api/monitoring/alerts'

export function Alerts() {
  const { id: opened } = useParams<{ id?: string }>()
  const [, navigate] = useLocation()
  const mayChange = useIsAdmin() ?? false
  return (
    <>
      <ResourceList
        path={path}
        items="alerts"
        title="Alerts"
        icon={IconBell}
        height={64}
        empty="An alert watches a metric, such as today’s cost or free disk space, and notifies you once when it passes a limit."
        actions={mayChange && <AddButton onClick={() => navigate('/monitor/alerts/new')}>New alert</AddButton>}
        row={(alert) => {
          const { id, name, summary, state, enabled, value_text, error } = alert
          return {
            badges: <StatusBadge {...(enabled ? alertStatus(state) : { label: 'Off', color: 'gray' })} />,
            actions: (
              <>
                {mayChange && enabled && <StateButtons alert={alert} />}
                <LinkButton href={`/monitor/alerts/${id}`} aria-label={`${mayChange ? 'Edit' : 'History of'} ${name}`}>
                  {mayChange ? 'Edit' : 'History'}
                </LinkButton>
              </>
            ),
            children: (
              <>
                <Hint>
                  {summary}
                  {value_text !== null && ` · now ${value_text}`}
                  <When label="last fired" at={alert.last_triggered} />
                  <When label="snooze ends" at={alert.snoozed_until} />
                </Hint>
                {error !== null && <Hint c="var(--mantine-color-error)">Cannot be computed: {error}</Hint>}
              </>
            ),
          }
        }}
      />
      {opened && <AlertDrawer key={opened} id={opened} close={() => navigate('/monitor/alerts')} />}
    </>
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
  const snooze = useChange((api, minutes: number) => api.post(`${path}/{id}/snooze`, { params, body: { minutes } }))
  return (
    <>
      {state === 'firing' && (
        <ActionButton run={(api) => api.post(`${path}/{id}/acknowledge`, { params })}>Acknowledge</ActionButton>
      )}
      {state !== 'ok' && (
        <ActionButton run={(api) => api.post(`${path}/{id}/resolve`, { params })}>
          {state === 'snoozed' ? 'End snooze' : 'Resolve'}
        </ActionButton>
      )}
      <ActionMenu actions={snoozes.map(({ minutes, label }) => ({ label, onClick: () => snooze.mutate(minutes) }))}>
        <SmallButton icon={IconClock} loading={snooze.isPending} aria-label={`Snooze ${name}`}>
          Snooze
        </SmallButton>
      </ActionMenu>
    </>
  )
}
