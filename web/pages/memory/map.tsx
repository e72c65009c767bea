import { Box, Button, Group, Skeleton, Slider, Switch, Text, useComputedColorScheme } from '@mantine/core'
import { IconBrain, IconMap, IconPuzzle, IconRefresh, IconSparkles, IconVectorTriangle } from '@tabler/icons-react'
import { type ComponentType, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Cluster, ClusterResponse } from '../../../runtime/memory/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useBusEvents } from '../../app/services.tsx'
import { EmptyState, Loaded } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useParameters } from '../../parts/use-parameters.ts'
import { CanvasView } from './canvas-view.tsx'
import { kindColor, paletteOf } from './drawing.ts'
import { percent, sourceLabel } from './labels.ts'
import { mapScene } from './map-scene.ts'
import classes from './memory.module.css'
import { AgentFilter, Columns } from './parts.tsx'

const counts = [2, 3, 4, 5, 6, 7, 8]

/** All memories as points: similar ones are close together. */
export function MapView() {
  const { get, set } = useParameters()
  const n = Math.min(8, Math.max(2, Number(get('n')) || 4))
  const [chosen, setChosen] = useState(n)
  const query = useEndpoint('/api/memory/clusters', { query: { n, agent_id: get('agent') } }, { keepPrevious: true })
  return (
    <>
      <Group mb="md" gap="lg" align="flex-end">
        <Box flex="0 1 16rem" miw="12rem">
          <Text size="sm" fw={500} mb={6}>
            Number of groups: {chosen}
          </Text>
          <Slider
            min={2}
            max={8}
            marks={counts.map((value) => ({ value }))}
            label={null}
            thumbLabel="Number of groups"
            value={chosen}
            onChange={setChosen}
            onChangeEnd={(value) => set({ n: String(value) })}
          />
        </Box>
        <AgentFilter value={get('agent')} onChange={(agent) => set({ agent })} />
        <RedrawButton redraw={() => query.refetch()} drawing={query.isFetching} />
      </Group>
      <Loaded query={query} what="The map" skeleton={<Skeleton height="min(34rem, 62svh)" radius="md" />}>
        {(map) => (map.empty_reason ? <NoMap reason={map.empty_reason} map={map} /> : <Drawn map={map} />)}
      </Loaded>
    </>
  )
}

function Drawn({ map }: { map: ClusterResponse }) {
  const [, navigate] = useLocation()
  const [highlighted, setHighlighted] = useState<string | null>(null)
  const scheme = useComputedColorScheme('light')
  const palette = paletteOf(scheme)
  const scene = useMemo(() => mapScene(map, paletteOf(scheme), highlighted), [map, scheme, highlighted])
  const hidden = map.episodes_total - map.points.length
  return (
    <Columns
      side={
        <Panel title="Groups">
          <Box component="ul" className="plain" pb="0.5rem">
            {map.clusters.map((cluster, index) => (
              <ClusterRow
                key={cluster.id}
                cluster={cluster}
                color={kindColor(palette, index)}
                highlighted={highlighted === cluster.id}
                highlight={(on) => setHighlighted(on ? cluster.id : null)}
              />
            ))}
          </Box>
        </Panel>
      }
    >
      <CanvasView
        scene={scene}
        label={`A map of ${counted(map.points.length, 'memory', 'memories')} in ${counted(map.clusters.length, 'group', 'groups')}.`}
        open={(id) => id && navigate(`/memory/${id}`)}
        tip={(id) => <Preview id={id} />}
      />
      <Hint mt={6}>
        Each point is a memory. Points close together have a similar meaning. Click a point to open it.
        {hidden > 0 && ` ${counted(hidden, 'memory is', 'memories are')} not on the map.`}
      </Hint>
    </Columns>
  )
}

interface ClusterRowProps {
  cluster: Cluster
  color: string
  highlighted: boolean
  highlight: (on: boolean) => void
}

function ClusterRow({ cluster, color, highlighted, highlight }: ClusterRowProps) {
  const { id, label, size, avg_importance, entities } = cluster
  return (
    <li>
      <Group gap="0.6rem" px="md" py="0.45rem" wrap="nowrap" align="flex-start">
        <Box component="span" className={classes.color} bg={color} mt="0.3rem" aria-hidden />
        <div className="grow">
          <TextLink href={`/memory?cluster=${id}`}>{label || 'Unnamed group'}</TextLink>
          <Hint>
            {counted(size, 'memory', 'memories')} · importance {percent(avg_importance)}
          </Hint>
          {entities.length > 0 && (
            <Hint lineClamp={1}>
              {entities
                .slice(0, 4)
                .map(({ name }) => name)
                .join(', ')}
            </Hint>
          )}
        </div>
        <Switch
          size="xs"
          aria-label={`Highlight ${label}`}
          checked={highlighted}
          onChange={(event) => highlight(event.currentTarget.checked)}
        />
      </Group>
    </li>
  )
}

function Preview({ id }: { id: string }) {
  const { data } = useEndpoint('/api/memory/episodes/{id}', { params: { id } }, { retry: false })
  if (!data) return '…'
  return (
    <>
      <Text size="xs" lineClamp={4}>
        {data.summary || data.content}
      </Text>
      <Hint>{sourceLabel(data.source)}</Hint>
    </>
  )
}

/** The map is not redrawn after each event: it takes seconds, and points would jump. */
function RedrawButton({ redraw, drawing }: { redraw: () => unknown; drawing: boolean }) {
  const [changed, setChanged] = useState(false)
  useBusEvents('memory.episode', () => setChanged(true))
  if (!changed && !drawing) return null
  const run = () => {
    setChanged(false)
    redraw()
  }
  return (
    <Button variant="default" leftSection={<IconRefresh size={16} />} loading={drawing} onClick={run}>
      Memories have changed: redraw
    </Button>
  )
}

type Reason = NonNullable<ClusterResponse['empty_reason']>

interface Explanation {
  icon: ComponentType<{ size?: number | string }>
  title: string
  text: (map: ClusterResponse) => string
  action: string
  href: string
}

const explanations: Record<Reason, Explanation> = {
  no_episodes: {
    icon: IconBrain,
    title: 'No memories yet',
    text: () => 'The map starts with the first memories. You can create some from earlier conversations.',
    action: 'Import from conversations',
    href: '/memory/maintenance',
  },
  embeddings_unavailable: {
    icon: IconVectorTriangle,
    title: 'No embeddings',
    text: ({ embeddings_installed, repair_command }) =>
      embeddings_installed || !repair_command
        ? 'The map needs embeddings, and they are turned off. Choose an embedding model.'
        : `The map needs embeddings, but none can be created. Choose an embedding model, or repair the installation with: ${repair_command}`,
    action: 'Open memory settings',
    href: '/settings/memory',
  },
  visualization_unavailable: {
    icon: IconPuzzle,
    title: 'The map needs a pack',
    text: ({ visualization: { installed, complete } }) =>
      installed && !complete
        ? 'The pack “Map of memory” is only partly installed. Install it again to repair it.'
        : 'Install the pack “Map of memory”. You see its contents and size before anything is installed.',
    action: 'Show pack',
    href: '/settings/features',
  },
  missing_embeddings: {
    icon: IconSparkles,
    title: 'Embeddings are missing',
    text: ({ episodes_total, episodes_embedded }) =>
      `${episodes_embedded} of ${counted(episodes_total, 'memory has', 'memories have')} an embedding. Create the others to see the map.`,
    action: 'Create embeddings',
    href: '/memory/maintenance',
  },
  too_few_embeddings: {
    icon: IconMap,
    title: 'Not enough memories for a map',
    text: ({ episodes_total }) =>
      `The map needs at least five memories. There ${episodes_total === 1 ? 'is' : 'are'} ${episodes_total}.`,
    action: 'Show memories',
    href: '/memory',
  },
}

/** Explains why there is no map, and what to do about it. */
function NoMap({ reason, map }: { reason: Reason; map: ClusterResponse }) {
  const { icon: Icon, title, text, action, href } = explanations[reason]
  const link = (
    <Button component={Link} href={href}>
      {action}
    </Button>
  )
  return (
    <section className="card" aria-label="No map">
      <EmptyState icon={<Icon size={28} />} title={title} action={link}>
        {text(map)}
      </EmptyState>
    </section>
  )
}
