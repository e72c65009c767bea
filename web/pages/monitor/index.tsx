import { useParams } from 'wouter'
import { lazily } from '../../parts/lazily.ts'
import { SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { Views } from '../../parts/status.tsx'

const loading = <SkeletonRows count={6} />

const views = [
  { place: '', label: 'Overview', view: lazily(() => import('./overview.tsx'), 'Overview', loading) },
  { place: 'usage', label: 'Usage', view: lazily(() => import('./usage.tsx'), 'Used', loading) },
  { place: 'calls', label: 'Model calls', view: lazily(() => import('./calls.tsx'), 'Calls', loading) },
  {
    place: 'performance',
    label: 'Performance',
    view: lazily(() => import('./performance.tsx'), 'Performance', loading),
  },
  { place: 'alerts', label: 'Alerts', view: lazily(() => import('./alerts.tsx'), 'Alerts', loading) },
  { place: 'logs', label: 'Logs', view: lazily(() => import('./logs.tsx'), 'Logs', loading) },
] as const

const links = [...views, { place: '/settings/audit', label: 'Audit log' }]

/** `/monitor` and its views; `/monitor/alerts/<id>` is one alert, `/monitor/alerts/new` the form. */
export function Monitor() {
  const { view: place } = useParams<{ view?: string }>()
  const current = views.find((view) => view.place === place) ?? views[0]
  return (
    <div className="page">
      <PageHeader title="Monitor" description="Health, activity, usage and cost of hearthd." />
      <Views label="Views" base="/monitor" views={links} current={current.place} />
      <current.view />
    </div>
  )
}
