import { Button, Group, Skeleton, Slider, Text, useComputedColorScheme } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { episodeQuery } from '../../../api/episodes.ts'
import { type ClusterResponse, mapQuery } from '../../../api/memory.ts'
import { useApi, useBusEvents } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted } from '../../../parts/numbers.ts'
import { AgentSelect } from '../agent-select.tsx'
import { sourceLabel } from '../labels.ts'
import { paintOf } from '../stage/paint.ts'
import { StageView } from '../stage/stage-view.tsx'
import { useParameters } from '../use-parameters.ts'
import { EmptyMap } from './empty-map.tsx'
import { Legend } from './legend.tsx'
import classes from './map.module.css'
import { mapScene } from './scene.ts'

const counts = [2, 3, 4, 5, 6, 7, 8]

/** All of memory as a map: what lies together says much the same. */
export function MapView() {
  const { of, set } = useParameters()
  const n = Math.min(8, Math.max(2, Number(of('n')) || 4))
  const agent = of('agent')
  const [chosen, setChosen] = useState(n)
  const query = useQuery(mapQuery(useApi(), n, agent))
  return (
    <>
      <Group mb="md" gap="lg" align="flex-end">
        <div className={classes.slider}>
          <Text size="sm" fw={500} mb={6}>
            Groups to look for: {chosen}
          </Text>
          <Slider
            min={2}
            max={8}
            marks={counts.map((value) => ({ value }))}
            label={null}
            thumbLabel="Groups to look for"
            value={chosen}
            onChange={setChosen}
            onChangeEnd={(value) => set('n', String(value))}
          />
        </div>
        <AgentSelect value={agent} change={(id) => set('agent', id)} />
        <Changed draw={() => query.refetch()} drawing={query.isFetching} />
      </Group>
      <Loaded query={query} what="The map" skeleton={<Skeleton height="min(34rem, 62svh)" radius="md" />}>
        {(map) => (map.empty_reason ? <EmptyMap reason={map.empty_reason} map={map} /> : <Drawn map={map} />)}
      </Loaded>
    </>
  )
}

function Drawn({ map }: { map: ClusterResponse }) {
  const [, navigate] = useLocation()
  const [shown, setShown] = useState<string | null>(null)
  const scheme = useComputedColorScheme('light')
  const paint = paintOf(scheme)
  const scene = useMemo(() => mapScene(map, paintOf(scheme), shown), [map, scheme, shown])
  const left = map.episodes_total - map.points.length
  return (
    <div className={classes.columns}>
      <div className="grow">
        <StageView
          scene={scene}
          label={`A map of ${counted(map.points.length, 'memory', 'memories')} in ${counted(map.clusters.length, 'group', 'groups')}.`}
          open={(id) => id && navigate(`/memory/${id}`)}
          tip={(id) => <Preview id={id} />}
        />
        <Text size="xs" c="dimmed" mt={6}>
          Each point is a memory; those that lie near each other mean much the same. A click opens one.
          {left > 0 && ` ${counted(left, 'memory is', 'memories are')} not on the map.`}
        </Text>
      </div>
      <Legend clusters={map.clusters} paint={paint} shown={shown} show={setShown} />
    </div>
  )
}

function Preview({ id }: { id: string }) {
  const { data } = useQuery(episodeQuery(useApi(), id))
  if (!data) return '…'
  return (
    <>
      <Text size="xs" lineClamp={4}>
        {data.summary || data.content}
      </Text>
      <Text size="xs" c="dimmed">
        {sourceLabel(data.source)}
      </Text>
    </>
  )
}

/** A map is not drawn anew with every event, for it takes seconds and points would jump. */
function Changed({ draw, drawing }: { draw: () => unknown; drawing: boolean }) {
  const [changed, setChanged] = useState(false)
  useBusEvents('memory.episode', () => setChanged(true))
  if (!changed && !drawing) return null
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} />}
      loading={drawing}
      onClick={() => {
        setChanged(false)
        draw()
      }}
    >
      The memory has changed: draw again
    </Button>
  )
}
