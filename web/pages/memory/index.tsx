import { IconMapQuestion, IconPlus } from '@tabler/icons-react'
import { type ComponentType, useState } from 'react'
import { useParams } from 'wouter'
import { useRefresh } from '../../api/query.ts'
import { useBusEvents } from '../../app/services.tsx'
import { LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { Views } from '../../parts/status.tsx'
import { labelOf } from '../../parts/text.ts'

const loading = <SkeletonRows count={6} />
const EpisodeForm = lazily(() => import('./episode-form.tsx'), 'EpisodeForm')
const EpisodeView = lazily(() => import('./episode.tsx'), 'EpisodeView', loading)

/** `/memory` is the search, `/memory/<view>` another view of all memories, `/memory/ep_…` one memory. */
const views: Readonly<Record<string, ComponentType>> = {
  '': lazily(() => import('./search.tsx'), 'Search', loading),
  map: lazily(() => import('./map.tsx'), 'MapView', loading),
  graph: lazily(() => import('./graph.tsx'), 'GraphView', loading),
  statistics: lazily(() => import('./statistics.tsx'), 'Statistics', loading),
  maintenance: lazily(() => import('./maintenance.tsx'), 'Maintenance', loading),
}

const places = Object.keys(views).map((place) => ({ place, label: labelOf(place || 'search') }))

export function Memory() {
  const { view: id = '' } = useParams<{ view?: string }>()
  const [adding, setAdding] = useState(false)
  useRefreshAfterJobs()
  if (id.startsWith('ep_'))
    return (
      <div className="page">
        <EpisodeView key={id} id={id} />
      </div>
    )
  const View = (Object.hasOwn(views, id) && views[id]) || NotFound
  return (
    <div className="page">
      <PageHeader title="Memory" description="What your agents remember about you and your work">
        <SmallButton size="sm" variant="filled" icon={IconPlus} onClick={() => setAdding(true)}>
          Add memory
        </SmallButton>
      </PageHeader>
      <Views label="Memory views" base="/memory" views={places} current={id} />
      <View />
      {adding && <EpisodeForm close={() => setAdding(false)} />}
    </div>
  )
}

const NotFound = () => (
  <EmptyState
    icon={<IconMapQuestion />}
    title="View not found"
    action={<LinkButton href="/memory">Show all memories</LinkButton>}
  />
)

/** Results of a job appear everywhere when it ends, not after each of its steps. */
function useRefreshAfterJobs(): void {
  const refresh = useRefresh()
  useBusEvents('memory.', ({ type, data }) => {
    const ended = type === 'memory.job.updated' && data.job.status !== 'running'
    if (!ended && type !== 'memory.cleared') return
    void refresh('/api/memory')
  })
}
