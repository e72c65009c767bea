import { useParams } from 'wouter'
import { lazily } from '../../parts/lazily.ts'
import { SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { Views } from '../../parts/status.tsx'

const loading = <SkeletonRows count={6} />

const panels = {
  overview: lazily(() => import('./overview.tsx'), 'Overview', loading),
  usage: lazily(() => import('./usage.tsx'), 'Used', loading),
  calls: lazily(() => import('./calls.tsx'), 'Calls', loading),
  performance: lazily(() => import('./performance.tsx'), 'Performance', loading),
  alerts: lazily(() => import('./alerts.tsx'), 'Alerts', loading),
  logs: lazily(() => import('./logs.tsx'), 'Logs', loading),
}

const views = [
  { href: '/monitor', label: 'Overview' },
  { href: '/monitor/usage', label: 'Usage' },
  { href: '/monitor/calls', label: 'Model calls' },
  { href: '/monitor/performance', label: 'Performance' },
  { href: '/monitor/alerts', label: 'Alerts' },
  { href: '/monitor/logs', label: 'Logs' },
  { href: '/settings/audit', label: 'Audit log' },
]

/** `/monitor` and its views; `/monitor/alerts/<id>` is one alert, `/monitor/alerts/new` the form. */
export function Monitor() {
  const { view = 'overview' } = useParams<{ view?: string }>()
  const known = view in panels ? (view as keyof typeof panels) : 'overview'
  const Panel = panels[known]
  return (
    <div className="page">
      <PageHeader title="Monitor" description="Health, activity, usage and cost of hearthd." />
      <Views label="Views" views={views} current={known === 'overview' ? '/monitor' : `/monitor/${known}`} />
      <Panel />
    </div>
  )
}
