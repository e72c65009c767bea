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
import { useQueryClient } from '@tanstack/react-query'
import { type ComponentType, lazy, Suspense, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { MemoryJob } from '../../api/memory.ts'
import { useBusEvents } from '../../app/services.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'

const EpisodeForm = lazy(async () => ({ default: (await import('./episode/form.tsx')).EpisodeForm }))
const EpisodeView = lazy(async () => ({ default: (await import('./episode/index.tsx')).EpisodeView }))

interface View {
  id: string
  label: string
  icon: ComponentType<{ size?: number | string }>
  view: ComponentType
}

/** `/memory` finds, `/memory/<view>` shows all of it in another way, `/memory/ep_…` one episode. */
const views: readonly View[] = [
  {
    id: 'search',
    label: 'Find',
    icon: IconSearch,
    view: lazy(async () => ({ default: (await import('./search/index.tsx')).Search })),
  },
  {
    id: 'map',
    label: 'Map',
    icon: IconMap,
    view: lazy(async () => ({ default: (await import('./map/index.tsx')).MapView })),
  },
  {
    id: 'graph',
    label: 'Graph',
    icon: IconShare3,
    view: lazy(async () => ({ default: (await import('./graph/index.tsx')).GraphView })),
  },
  {
    id: 'numbers',
    label: 'Numbers',
    icon: IconChartBar,
    view: lazy(async () => ({ default: (await import('./numbers/index.tsx')).Numbers })),
  },
  {
    id: 'upkeep',
    label: 'Upkeep',
    icon: IconTool,
    view: lazy(async () => ({ default: (await import('./upkeep/index.tsx')).Upkeep })),
  },
]

const pathOf = (id: string | null) => (id === null || id === 'search' ? '/memory' : `/memory/${id}`)

export function Memory() {
  const { view: id = 'search' } = useParams<{ view?: string }>()
  useRefreshAfterJobs()
  if (id.startsWith('ep_'))
    return (
      <div className="page">
        <Suspense fallback={<SkeletonRows count={6} />}>
          <EpisodeView key={id} id={id} />
        </Suspense>
      </div>
    )
  return <Views id={id} />
}

function Views({ id }: { id: string }) {
  const [, navigate] = useLocation()
  const [adding, setAdding] = useState(false)
  const View = views.find((view) => view.id === id)?.view
  return (
    <div className="page">
      <PageHeader title="Memory" description="What your agents and you want kept, and how it hangs together.">
        <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
          Remember something
        </Button>
      </PageHeader>
      <Tabs value={id} onChange={(next) => navigate(pathOf(next))}>
        <ScrollArea type="never">
          <Tabs.List style={{ flexWrap: 'nowrap' }} aria-label="Ways to look at the memory">
            {views.map(({ id: value, label, icon: Icon }) => (
              <Tabs.Tab key={value} value={value} leftSection={<Icon size={16} />}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </ScrollArea>
        <Tabs.Panel value={id} pt="lg">
          {View ? (
            <Suspense fallback={<SkeletonRows count={6} />}>
              <View />
            </Suspense>
          ) : (
            <NoSuchView />
          )}
        </Tabs.Panel>
      </Tabs>
      {adding && (
        <Suspense>
          <EpisodeForm close={() => setAdding(false)} />
        </Suspense>
      )}
    </div>
  )
}

const NoSuchView = () => (
  <EmptyState
    icon={<IconMapQuestion />}
    title="No such view"
    action={
      <Button component={Link} href="/memory">
        All of memory
      </Button>
    }
  />
)

/** What a job has made is shown everywhere when it is over, and not with each of its steps. */
function useRefreshAfterJobs(): void {
  const queries = useQueryClient()
  useBusEvents('memory.', ({ type, data }) => {
    const over = type === 'memory.job.updated' && (data.job as MemoryJob).status !== 'running'
    if (!over && type !== 'memory.cleared') return
    for (const key of ['memory', 'memory-graph', 'memory-map'])
      void queries.invalidateQueries({ queryKey: [key] })
  })
}
