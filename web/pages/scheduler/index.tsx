import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type ComponentType, lazy, Suspense } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { PageHeader } from '../../parts/page-header.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { Places } from './places.tsx'
import { ZoneNote } from './zone-note.tsx'

const JobsView = lazy(async () => ({ default: (await import('./jobs/jobs-view.tsx')).JobsView }))
const RunsView = lazy(async () => ({ default: (await import('./job/runs-view.tsx')).RunsView }))
const CalendarView = lazy(async () => ({
  default: (await import('./calendar/calendar-view.tsx')).CalendarView,
}))
const HeatmapView = lazy(async () => ({ default: (await import('./heatmap/heatmap-view.tsx')).HeatmapView }))
const ChainsView = lazy(async () => ({ default: (await import('./chains/chains-view.tsx')).ChainsView }))
const JobPage = lazy(async () => ({ default: (await import('./job/job-page.tsx')).JobPage }))
const JobDrawer = lazy(async () => ({ default: (await import('./form/job-drawer.tsx')).JobDrawer }))

const views = new Map<string, ComponentType<{ part: string | undefined }>>([
  ['runs', RunsView],
  ['calendar', CalendarView],
  ['heatmap', HeatmapView],
  ['chains', ChainsView],
])

/**
 * `/scheduler` and its views `/scheduler/calendar` …; `/scheduler/new` opens the form beside the jobs, `/scheduler/<job>`
 * is one job, `/scheduler/<job>/edit` its form, `/scheduler/<job>/<run>` one of its runs.
 */
export function Scheduler() {
  const { place = '', part } = useParams<{ place?: string; part?: string }>()
  const [, navigate] = useLocation()
  if (place.startsWith('job_'))
    return (
      <Suspense fallback={<Waiting />}>
        <JobPage id={place} part={part} />
      </Suspense>
    )
  const View = views.get(place) ?? JobsView
  return (
    <div className="page">
      <PageHeader title="Scheduler" description={<ZoneNote />}>
        <Button component={Link} href="/scheduler/new" leftSection={<IconPlus size={16} />}>
          New job
        </Button>
      </PageHeader>
      <Places current={views.has(place) ? place : ''} />
      <Suspense fallback={<SkeletonRows count={6} />}>
        <View part={part} />
        {place === 'new' && <JobDrawer job={null} close={() => navigate('/scheduler')} />}
      </Suspense>
    </div>
  )
}

const Waiting = () => (
  <div className="page">
    <SkeletonRows count={6} />
  </div>
)
