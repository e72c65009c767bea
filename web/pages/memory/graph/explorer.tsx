import { Group, Text, useComputedColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { type Graph, graphQuery } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { counted } from '../../../parts/numbers.ts'
import { typeLabels } from '../labels.ts'
import { paintOf } from '../stage/paint.ts'
import { StageView } from '../stage/stage-view.tsx'
import type { useParameters } from '../use-parameters.ts'
import { Controls } from './controls.tsx'
import { EntityList } from './entity-list.tsx'
import { EntityPanel } from './entity-panel.tsx'
import { type Filter, fitsFilter } from './filter.ts'
import classes from './graph.module.css'
import { type Layout, layOut } from './layout.ts'
import { graphScene } from './scene.ts'
import { TimeSlider } from './time-slider.tsx'

interface ExplorerProps {
  graph: Graph
  agent_id: string
  limit: number
  parameters: ReturnType<typeof useParameters>
}

export function Explorer({ graph, agent_id, limit, parameters }: ExplorerProps) {
  const { of, set } = parameters
  const [filter, setFilter] = useState<Filter>({ text: '', hidden: new Set() })
  const day = of('at')
  const chosen = graph.nodes.find(({ id }) => id === of('entity')) ?? null
  const known = useKnown({ agent_id, limit, day })
  const fitting = graph.nodes.filter((entity) => fitsFilter(entity, filter) && known(entity.id))
  const scene = useScene({ graph, filter, known, day, chosen: chosen?.id ?? null })
  const choose = (id: string | null) => set('entity', id ?? '')
  return (
    <>
      <Controls graph={graph} filter={filter} setFilter={setFilter} {...{ agent_id, limit, set }} />
      <div className={classes.columns}>
        <div className="grow">
          <StageView
            scene={scene}
            label={`${counted(fitting.length, 'entity', 'entities')} and the facts between them.`}
            open={choose}
            tip={(id) => <Tip graph={graph} id={id} />}
          />
          <Told graph={graph} />
          <TimeSlider graph={graph} day={day} change={(at) => set('at', at)} />
        </div>
        <div className={classes.side}>
          {chosen ? (
            <EntityPanel key={chosen.id} entity={chosen} graph={graph} day={day} choose={choose} />
          ) : (
            <EntityList entities={fitting} choose={choose} />
          )}
        </div>
      </div>
    </>
  )
}

/** Who is known at the end of a day. Until that is told, what was told last. */
function useKnown({ agent_id, limit, day }: { agent_id: string; limit: number; day: string }) {
  const [at] = useDebouncedValue(day, 150)
  const then = useQuery({ ...graphQuery(useApi(), { agent_id, at, limit }), enabled: at !== '' }).data
  return useMemo(() => {
    const ids = day === '' || !then ? null : new Set(then.nodes.map(({ id }) => id))
    return (id: string) => ids?.has(id) ?? true
  }, [then, day])
}

interface SceneOf {
  graph: Graph
  filter: Filter
  known: (id: string) => boolean
  day: string
  chosen: string | null
}

/** The same places whatever is chosen or hidden; only another graph is laid out anew, from where things were. */
function useScene({ graph, filter, known, day, chosen }: SceneOf) {
  const scheme = useComputedColorScheme('light')
  const before = useRef<Layout | null>(null)
  const layout = useMemo(() => {
    before.current = layOut(graph, before.current)
    return before.current
  }, [graph])
  return useMemo(() => {
    const fit = new Set(graph.nodes.filter((entity) => fitsFilter(entity, filter)).map(({ id }) => id))
    const shown = { fits: (id: string) => fit.has(id), known, day, chosen }
    return { ...graphScene(graph, layout, { paint: paintOf(scheme), shown }), attach: layout.run }
  }, [graph, layout, scheme, filter, known, day, chosen])
}

function Tip({ graph, id }: { graph: Graph; id: string }) {
  const entity = graph.nodes.find((node) => node.id === id)
  if (!entity) return null
  return (
    <Text size="xs">
      <b>{entity.name}</b> · {typeLabels[entity.type].toLowerCase()} ·{' '}
      {counted(entity.mentions, 'mention', 'mentions')}
    </Text>
  )
}

const Told = ({ graph: { nodes, edges, total_nodes, total_edges, truncated } }: { graph: Graph }) => (
  <Group gap="md" mt={6}>
    <Text size="xs" c="dimmed" role="status">
      {truncated
        ? `The ${counted(nodes.length, 'entity', 'entities')} mentioned most of ${total_nodes}, and ${edges.length} of ${counted(total_edges, 'fact', 'facts')}.`
        : `${counted(nodes.length, 'entity', 'entities')}, ${counted(edges.length, 'fact', 'facts')}.`}
    </Text>
    <Text size="xs" c="dimmed">
      Larger is mentioned more often; dashed has ended.
    </Text>
  </Group>
)
