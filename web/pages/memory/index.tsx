import { Button, ScrollArea, Tabs } from '@mantine/core'
import {
  IconChartBar,
  IconMap,
  IconMapQuestion,
  IconPlus,
  IconSearch,
  IconShare3,
  IconTool,
} from '@tabler/icons-react'
import { type ComponentType, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { useRefresh } from '../../api/query.ts'
import { useBusEvents } from '../../app/services.tsx'
import { LinkButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'

const loading = <SkeletonRows count={6} />
const EpisodeForm = lazily(() => import('./episode-form.tsx'), 'EpisodeForm')
const EpisodeView = lazily(() => import('./episode.tsx'), 'EpisodeView', loading)

interface View {
  id: string
  label: string
  icon: ComponentType<{ size?: number | string }>
  view: ComponentType
}

/** `/memory` is the search, `/memory/<view>` another view of all memories, `/memory/ep_…` one memory. */
const views: readonly View[] = [
  {
    id: 'search',
    label: 'Search',
    icon: IconSearch,
    view: lazily(() => import('./search.tsx'), 'Search', loading),
  },
  { id: 'map', label: 'Map', icon: IconMap, view: lazily(() => import('./map.tsx'), 'MapView', loading) },
  {
    id: 'graph',
    label: 'Graph',
    icon: IconShare3,
    view: lazily(() => import('./graph.tsx'), 'GraphView', loading),
  },
  {
    id: 'statistics',
    label: 'Statistics',
    icon: IconChartBar,
    view: lazily(() => import('./statistics.tsx'), 'Statistics', loading),
  },
  {
    id: 'maintenance',
    label: 'Maintenance',
    icon: IconTool,
    view: lazily(() => import('./maintenance.tsx'), 'Maintenance', loading),
  },
]

const pathOf = (id: string | null) => (id === null || id === 'search' ? '/memory' : `/memory/${id}`)

export function Memory() {
  const { view: id = 'search' } = useParams<{ view?: string }>()
  useRefreshAfterJobs()
  if (!id.startsWith('ep_')) return <Views id={id} />
  return (
    <div className="page">
      <EpisodeView key={id} id={id} />
    </div>
  )
}

function Views({ id }: { id: string }) {
  const [, navigate] = useLocation()
  const [adding, setAdding] = useState(false)
  const View = views.find((view) => view.id === id)?.view ?? NotFound
  return (
    <div className="page">
      <PageHeader title="Memory" description="What your agents remember about you and your work">
        <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
          Add memory
        </Button>
      </PageHeader>
      <Tabs value={id} onChange={(next) => navigate(pathOf(next))}>
        <ScrollArea type="never">
          <Tabs.List style={{ flexWrap: 'nowrap' }} aria-label="Memory views">
            {views.map(({ id: value, label, icon: Icon }) => (
              <Tabs.Tab key={value} value={value} leftSection={<Icon size={16} />}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </ScrollArea>
        <Tabs.Panel value={id} pt="lg">
          <View />
        </Tabs.Panel>
      </Tabs>
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
