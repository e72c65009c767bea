import type { ComponentType } from 'react'
import { useLocation, useParams } from 'wouter'
import { NewLink } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { PageSkeleton, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { Views } from '../../parts/status.tsx'
import { useZone } from '../../parts/time.tsx'

/** Loads the code that computes with time zones, with a polyfill of `Temporal` for browsers without it. */
const withTemporal = async <Module,>(load: () => Promise<Module>): Promise<Module> => {
  if (!('Temporal' in globalThis)) await import('temporal-polyfill/global')
  return load()
}

const loading = <SkeletonRows count={6} />
const JobsView = lazily(() => import('./jobs-view.tsx'), 'JobsView', loading)
const RunsView = lazily(() => import('./runs.tsx'), 'RunsView', loading)
const CalendarView = lazily(() => withTemporal(() => import('./calendar.tsx')), 'CalendarView', loading)
const ActivityView = lazily(() => import('./activity.tsx'), 'ActivityView', loading)
const ChainsView = lazily(() => import('./chains.tsx'), 'ChainsView', loading)
const JobPage = lazily(() => withTemporal(() => import('./job-page.tsx')), 'JobPage', <PageSkeleton />)
const JobDrawer = lazily(() => withTemporal(() => import('./job-form.tsx')), 'JobDrawer')

interface View {
  place: string
  label: string
  view: ComponentType<{ part: string | undefined }>
}

const views: readonly View[] = [
  { place: '', label: 'Jobs', view: JobsView },
  { place: 'runs', label: 'Runs', view: RunsView },
  { place: 'calendar', label: 'Calendar', view: CalendarView },
  { place: 'heatmap', label: 'Activity', view: ActivityView },
  { place: 'chains', label: 'Chains', view: ChainsView },
]

/**
 * `/scheduler` and its views, such as `/scheduler/calendar`; `/scheduler/new` opens the form over the jobs,
 * `/scheduler/<job>` is one job, `/scheduler/<job>/edit` its form, `/scheduler/<job>/<run>` one of its runs.
 */
export function Scheduler() {
  const { place = '', part } = useParams<{ place?: string; part?: string }>()
  const [, navigate] = useLocation()
  const zone = useZone().replaceAll('_', ' ')
  if (place.startsWith('job_')) return <JobPage id={place} part={part} />
  const current = views.find((view) => view.place === place) ?? { place: '', view: JobsView }
  return (
    <div className="page">
      <PageHeader title="Scheduler" description={`Jobs that run on a schedule. Times are in ${zone}.`}>
        <NewLink href="/scheduler/new">New job</NewLink>
      </PageHeader>
      <Views label="Scheduler views" base="/scheduler" views={views} current={current.place} />
      <current.view part={part} />
      {place === 'new' && <JobDrawer job={null} close={() => navigate('/scheduler')} />}
    </div>
  )
}
