import { Anchor, Badge, Box, Group, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Entity, Graph, GraphEdge } from '../../../runtime/memory/schema.ts'
import { usePages } from '../../api/query.ts'
import { IconButton } from '../../parts/buttons.tsx'
import { List, SkeletonRows } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { type FactStatus, factStatus } from './graph-scene.ts'
import { EpisodeRow } from './parts.tsx'

interface EntityPanelProps {
  entity: Entity
  graph: Graph
  day: string
  choose: (id: string | null) => void
}

const order: FactStatus[] = ['valid', 'ended', 'future']

/** The facts about one entity, and the memories that mention it. */
export function EntityPanel({ entity, graph, day, choose }: EntityPanelProps) {
  const { id, name, type, mentions } = entity
  const rankOf = (edge: GraphEdge) => order.indexOf(factStatus(edge, day))
  const facts = graph.edges
    .filter((edge) => (edge.source === id || edge.target === id) && factStatus(edge, day) !== 'future')
    .toSorted((a, b) => rankOf(a) - rankOf(b))
  return (
    <>
      <Panel title={name} action={<IconButton label="Close" icon={IconX} onClick={() => choose(null)} />}>
        <Hint px="md" pb="xs">
          {labelOf(type)}, {counted(mentions, 'mention', 'mentions')}
        </Hint>
        {facts.length === 0 && (
          <Text size="sm" px="md" pb="md">
            No facts{day ? ' at this time' : ''}
          </Text>
        )}
        <Box component="ul" className="plain" mah="26rem" style={{ overflowY: 'auto' }}>
          {facts.map((fact) => (
            <Fact
              key={fact.id}
              fact={fact}
              ended={factStatus(fact, day) === 'ended'}
              other={otherOf(graph, fact, id)}
              choose={choose}
            />
          ))}
        </Box>
      </Panel>
      <Mentions id={id} />
    </>
  )
}

function otherOf({ nodes }: Graph, { source, target }: GraphEdge, id: string): Entity | undefined {
  const other = source === id ? target : source
  return other === id ? undefined : nodes.find((node) => node.id === other)
}

interface FactProps {
  fact: GraphEdge
  ended: boolean
  /** The entity at the other end. */
  other: Entity | undefined
  choose: (id: string) => void
}

function Fact({ fact: { fact, valid_at, invalid_at, episode_ids }, ended, other, choose }: FactProps) {
  return (
    <Box component="li" px="md" py="0.5rem" style={{ borderTop: '1px solid var(--line)' }}>
      <Text size="sm" c={ended ? 'dimmed' : undefined}>
        {fact}
      </Text>
      <Group gap={6}>
        {ended && (
          <Badge size="xs" color="gray">
            Ended
          </Badge>
        )}
        <Hint>
          <Time at={valid_at} />
          {invalid_at && (
            <>
              {' until '}
              <Time at={invalid_at} />
            </>
          )}
        </Hint>
        {episode_ids.slice(0, 3).map((episode, index) => (
          <Anchor key={episode} component={Link} href={`/memory/${episode}`} size="xs">
            Source {index + 1}
          </Anchor>
        ))}
        {other && (
          <Badge component="button" variant="default" style={{ cursor: 'pointer' }} onClick={() => choose(other.id)}>
            {other.name}
          </Badge>
        )}
      </Group>
    </Box>
  )
}

/** Newest first. */
function Mentions({ id }: { id: string }) {
  const query = usePages('/api/memory/entities/{id}/episodes', { params: { id } }, { size: 5 })
  const total = query.data?.pages[0]?.total
  return (
    <Panel title={total === undefined ? 'Mentioned in' : `Mentioned in ${counted(total, 'memory', 'memories')}`}>
      <List query={query} what="Memories" skeleton={<SkeletonRows count={3} />} items="episodes" empty="No memories">
        {(episode) => <EpisodeRow key={episode.id} episode={episode} />}
      </List>
    </Panel>
  )
}
