import { ActionIcon, Anchor, Badge, Group, Text, UnstyledButton } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Entity, entityEpisodesQuery, type Graph, type GraphEdge } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'
import { ShowMore } from '../../../parts/show-more.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import { typeLabels } from '../labels.ts'
import { EpisodeRow } from '../search/row.tsx'
import classes from './graph.module.css'
import { type Standing, standingOf } from './moments.ts'

interface EntityPanelProps {
  entity: Entity
  graph: Graph
  day: string
  choose: (id: string | null) => void
}

const order: Standing[] = ['holds', 'past', 'future']

/** What is known of one entity, and where that was said. */
export function EntityPanel({ entity, graph, day, choose }: EntityPanelProps) {
  const { id, name, type, mentions } = entity
  const facts = graph.edges
    .filter((edge) => (edge.source === id || edge.target === id) && standingOf(edge, day) !== 'future')
    .toSorted((a, b) => order.indexOf(standingOf(a, day)) - order.indexOf(standingOf(b, day)))
  const close = (
    <ActionIcon variant="subtle" color="gray" aria-label="Close" onClick={() => choose(null)}>
      <IconX size={18} />
    </ActionIcon>
  )
  return (
    <>
      <Panel title={name} action={close}>
        <Text size="xs" c="dimmed" px="md" pb="xs">
          {typeLabels[type]}, {counted(mentions, 'mention', 'mentions')}
        </Text>
        {facts.length === 0 && (
          <Text size="sm" px="md" pb="md">
            No fact about it{day ? ' at that time' : ''}.
          </Text>
        )}
        <ul className={classes.facts}>
          {facts.map((fact) => (
            <Fact
              key={fact.id}
              fact={fact}
              past={standingOf(fact, day) === 'past'}
              other={otherOf(graph, fact, id)}
              choose={choose}
            />
          ))}
        </ul>
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
  past: boolean
  other: Entity | undefined
  choose: (id: string) => void
}

function Fact({ fact: { fact, valid_at, invalid_at, episode_ids }, past, other, choose }: FactProps) {
  return (
    <li>
      <Text size="sm" c={past ? 'dimmed' : undefined}>
        {fact}
      </Text>
      <Group gap={6}>
        {past && (
          <Badge size="xs" color="gray" variant="light">
            Past
          </Badge>
        )}
        <Text size="xs" c="dimmed" component="span">
          <Time at={valid_at} />
          {invalid_at && (
            <>
              {' until '}
              <Time at={invalid_at} />
            </>
          )}
        </Text>
        {episode_ids.slice(0, 3).map((episode, place) => (
          <Anchor key={episode} component={Link} href={`/memory/${episode}`} size="xs">
            {place === 0 ? 'Said here' : `and here`}
          </Anchor>
        ))}
        {other && (
          <UnstyledButton className={classes.other} onClick={() => choose(other.id)}>
            {other.name}
          </UnstyledButton>
        )}
      </Group>
    </li>
  )
}

/** The memories that mention it, the newest first. */
function Mentions({ id }: { id: string }) {
  const query = useInfiniteQuery(entityEpisodesQuery(useApi(), id))
  const total = query.data?.pages[0]?.total
  return (
    <Panel title={total === undefined ? 'Memories that mention it' : `Memories that mention it: ${total}`}>
      <Loaded query={query} what="The memories" skeleton={<SkeletonRows count={3} />}>
        {({ pages }) => (
          <>
            {pages
              .flatMap(({ episodes }) => episodes)
              .map((episode) => (
                <EpisodeRow key={episode.id} episode={episode} />
              ))}
            <ShowMore query={query} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}
