import { Box, Group, Select, Skeleton, Slider, Text, UnstyledButton, useComputedColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconShare3 } from '@tabler/icons-react'
import { useMemo, useRef, useState } from 'react'
import type { EntityType } from '../../../runtime/english/entity-type.ts'
import type { Entity, Graph } from '../../../runtime/memory/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { EmptyState, Loaded, Nothing } from '../../parts/list.tsx'
import { locale } from '../../parts/locale.ts'
import { counted, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { labelOf } from '../../parts/text.ts'
import { Hint } from '../../parts/typography.tsx'
import { useParameters } from '../../parts/use-parameters.ts'
import { CanvasView } from './canvas-view.tsx'
import { paletteOf } from './drawing.ts'
import { EntityPanel } from './entity-panel.tsx'
import { type Layout, layOut } from './graph-layout.ts'
import { type EntityFilter, entityTypes, graphScene, matches, momentsOf, typeColor } from './graph-scene.ts'
import classes from './memory.module.css'
import { AgentFilter, Columns } from './parts.tsx'

const defaultLimit = 300

/** Entities and the facts between them, now or at an earlier time. */
export function GraphView() {
  const { get } = useParameters()
  const agent_id = get('agent')
  const limit = Math.min(1_000, Math.max(1, Number(get('limit')) || defaultLimit))
  const query = useEndpoint('/api/memory/graph', { query: { agent_id, limit } }, { keepPrevious: true })
  return (
    <Loaded query={query} what="The graph" skeleton={<Skeleton height="min(34rem, 62svh)" radius="md" />}>
      {(graph) =>
        graph.nodes.length === 0 && agent_id === '' ? (
          <NoGraph />
        ) : (
          <Explorer graph={graph} agent_id={agent_id} limit={limit} />
        )
      }
    </Loaded>
  )
}

const NoGraph = () => (
  <section className="card" aria-label="No graph">
    <EmptyState
      icon={<IconShare3 size={28} />}
      title="No entities yet"
      action={<LinkButton href="/memory/maintenance">Extract from memories</LinkButton>}
    >
      People, places, things and the facts between them are extracted from memories every night, or when you start it.
    </EmptyState>
  </section>
)

interface ExplorerProps {
  graph: Graph
  agent_id: string
  limit: number
}

function Explorer({ graph, agent_id, limit }: ExplorerProps) {
  const { get, set } = useParameters()
  const [filter, setFilter] = useState<EntityFilter>({ text: '', hidden: new Set() })
  const day = get('at')
  const chosen = graph.nodes.find(({ id }) => id === get('entity')) ?? null
  const exists = useKnown({ agent_id, limit, day })
  const matching = graph.nodes.filter((entity) => matches(entity, filter) && exists(entity.id))
  const scene = useScene({ graph, filter, exists, day, chosen: chosen?.id ?? null })
  const choose = (id: string | null) => set({ entity: id ?? '' })
  return (
    <>
      <Controls filter={filter} setFilter={setFilter} agent_id={agent_id} limit={limit} />
      <TypeFilter graph={graph} filter={filter} setFilter={setFilter} />
      <Columns
        side={
          chosen ? (
            <EntityPanel key={chosen.id} entity={chosen} graph={graph} day={day} choose={choose} />
          ) : (
            <EntityList entities={matching} choose={choose} />
          )
        }
      >
        <CanvasView
          scene={scene}
          label={`${counted(matching.length, 'entity', 'entities')} and the facts between them.`}
          open={choose}
          tip={(id) => <Tip entity={graph.nodes.find((node) => node.id === id)} />}
        />
        <Summary graph={graph} />
        <TimeSlider graph={graph} day={day} change={(at) => set({ at })} />
      </Columns>
    </>
  )
}

/** Which entities were known at the end of a day. Keeps the previous answer while the next one loads. */
function useKnown({ agent_id, limit, day }: { agent_id: string; limit: number; day: string }) {
  const [at] = useDebouncedValue(day, 150)
  const then = useEndpoint(
    '/api/memory/graph',
    { query: { agent_id, at, limit } },
    { keepPrevious: true, enabled: at !== '' },
  ).data
  return useMemo(() => {
    const ids = day === '' || !then ? null : new Set(then.nodes.map(({ id }) => id))
    return (id: string) => ids?.has(id) ?? true
  }, [then, day])
}

interface SceneInput {
  graph: Graph
  filter: EntityFilter
  exists: (id: string) => boolean
  day: string
  chosen: string | null
}

/** Filters and selection keep the layout. A changed graph gets a new one that starts at the old positions. */
function useScene({ graph, filter, exists, day, chosen }: SceneInput) {
  const scheme = useComputedColorScheme('light')
  const previous = useRef<Layout | null>(null)
  const layout = useMemo(() => {
    previous.current = layOut(graph, previous.current)
    return previous.current
  }, [graph])
  return useMemo(() => {
    const matching = new Set(graph.nodes.filter((entity) => matches(entity, filter)).map(({ id }) => id))
    const view = { matches: (id: string) => matching.has(id), exists, day, chosen }
    return { ...graphScene(graph, layout, { palette: paletteOf(scheme), view }), animate: layout.run }
  }, [graph, layout, scheme, filter, exists, day, chosen])
}

interface FilterProps {
  filter: EntityFilter
  setFilter: (filter: EntityFilter) => void
}

const limits = [100, 300, 1_000]

function Controls({ filter, setFilter, agent_id, limit }: FilterProps & Omit<ExplorerProps, 'graph'>) {
  const { set } = useParameters()
  return (
    <Group mb="sm" align="flex-end">
      <SearchField
        type="search"
        what="Part of a name"
        label="Name"
        aria-label="Name"
        data-search
        miw={160}
        maw={280}
        value={filter.text}
        change={(text) => setFilter({ ...filter, text })}
      />
      <AgentFilter value={agent_id} onChange={(agent) => set({ agent })} />
      <Select
        label="Limit"
        w={150}
        allowDeselect={false}
        data={[...new Set([...limits, limit])].map((count) => ({
          value: String(count),
          label: `${count} entities`,
        }))}
        value={String(limit)}
        onChange={(count) => set({ limit: count ?? '' })}
      />
    </Group>
  )
}

/** The legend; each type can be hidden. */
function TypeFilter({ graph, filter, setFilter }: FilterProps & { graph: Graph }) {
  const palette = paletteOf(useComputedColorScheme('light'))
  const present = entityTypes.filter((type) => graph.nodes.some((node) => node.type === type))
  const toggle = (type: EntityType) => {
    const hidden = new Set(filter.hidden)
    if (!hidden.delete(type)) hidden.add(type)
    setFilter({ ...filter, hidden })
  }
  return (
    <Group gap={6} mb="sm" role="group" aria-label="Visible types">
      {present.map((type) => (
        <UnstyledButton
          key={type}
          className={classes.type}
          aria-pressed={!filter.hidden.has(type)}
          onClick={() => toggle(type)}
        >
          <span className={classes.color} style={{ background: typeColor(palette, type) }} aria-hidden />
          {labelOf(type)} {graph.nodes.filter((node) => node.type === type).length}
        </UnstyledButton>
      ))}
    </Group>
  )
}

function Tip({ entity }: { entity: Entity | undefined }) {
  if (!entity) return null
  return (
    <Text size="xs">
      <b>{entity.name}</b> · {labelOf(entity.type).toLowerCase()} · {counted(entity.mentions, 'mention', 'mentions')}
    </Text>
  )
}

function Summary({ graph: { nodes, edges, total_nodes, total_edges, truncated } }: { graph: Graph }) {
  const entities = counted(nodes.length, 'entity', 'entities')
  return (
    <Group mt={6}>
      <Hint role="status">
        {truncated
          ? `The ${entities} mentioned most, of ${total_nodes}, and ${edges.length} of ${counted(total_edges, 'fact', 'facts')}`
          : `${entities}, ${counted(edges.length, 'fact', 'facts')}`}
      </Hint>
      <Hint>Larger points are mentioned more often. Dashed lines are facts that have ended.</Hint>
    </Group>
  )
}

const maxListed = 60

interface EntityListProps {
  entities: readonly Entity[]
  choose: (id: string) => void
}

/** The same entities as text, usable without the picture. */
function EntityList({ entities, choose }: EntityListProps) {
  const more = entities.length - maxListed
  return (
    <Panel title="Most mentioned">
      {entities.length === 0 && <Nothing>No matches. Try another name, type or time.</Nothing>}
      <Box component="ul" className="plain" mah="30rem" pb="0.5rem" style={{ overflowY: 'auto' }}>
        {entities.slice(0, maxListed).map(({ id, name, type, mentions }) => (
          <li key={id}>
            <UnstyledButton className={classes.entity} onClick={() => choose(id)}>
              <Text size="sm" component="span" truncate>
                {name}
              </Text>
              <Text size="xs" c="dimmed" component="span">
                {labelOf(type).toLowerCase()} · {whole(mentions)}
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </Box>
      {more > 0 && (
        <Hint px="md" pb="sm">
          And {whole(more)} more. Type part of a name to find them.
        </Hint>
      )}
    </Panel>
  )
}

interface TimeSliderProps {
  graph: Graph
  /** Empty for now. */
  day: string
  change: (day: string) => void
}

const formatDay = (day: string) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))

/** Each step is a day on which a fact began or ended. */
function TimeSlider({ graph, day, change }: TimeSliderProps) {
  const moments = momentsOf(graph)
  const [first, last] = [moments[0], moments.at(-1)]
  if (!first || !last || first === last) return null
  const index = moments.findLastIndex((moment) => moment <= day)
  return (
    <Box mt="sm">
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" fw={500}>
          {day === '' ? 'Now, including ended facts' : `On ${formatDay(day)}`}
        </Text>
        <UnstyledButton fz="xs" td="underline" disabled={day === ''} onClick={() => change('')}>
          Back to now
        </UnstyledButton>
      </Group>
      <Slider
        min={0}
        max={moments.length}
        label={null}
        thumbLabel="Time"
        thumbProps={{ 'aria-valuetext': day === '' ? 'Now' : formatDay(day) }}
        value={day === '' ? moments.length : Math.max(index, 0)}
        onChange={(next) => change(moments[next] ?? '')}
      />
      <Group justify="space-between" mt={4}>
        <Hint>{formatDay(first)}</Hint>
        <Hint>Now</Hint>
      </Group>
    </Box>
  )
}
