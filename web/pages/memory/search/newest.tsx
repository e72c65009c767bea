import { Badge, Button, Text } from '@mantine/core'
import { IconBrain, IconFilterOff, IconX } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type EpisodeFilters, episodesQuery } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted } from '../../../parts/numbers.ts'
import { ShowMore } from '../../../parts/show-more.tsx'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import classes from '../memory.module.css'
import { noFilters } from './filters.tsx'
import { EpisodeRow } from './row.tsx'
import type { Asked } from './use-search.ts'

interface NewestProps {
  filters: EpisodeFilters & { cluster_id: string }
  change: (changes: Partial<Asked>) => void
}

export function Newest({ filters, change }: NewestProps) {
  const query = useInfiniteQuery(episodesQuery(useApi(), filters))
  const narrowed = Object.values(filters).some((value) => value !== '')
  return (
    <section aria-label="The newest memories">
      <div className={classes.count}>
        <Text size="sm" c="dimmed" role="status">
          {query.data && counted(query.data.pages[0]?.total ?? 0, 'memory', 'memories')}
          {query.data && ', the newest first'}
        </Text>
        {filters.cluster_id && (
          <Badge
            component="button"
            variant="light"
            rightSection={<IconX size={12} />}
            className={classes.chip}
            onClick={() => change({ cluster_id: '' })}
          >
            One group of the map
          </Badge>
        )}
      </div>
      <div className="card">
        <Loaded query={query} what="The memory" skeleton={<SkeletonRows count={6} height={64} />}>
          {({ pages }) => {
            const episodes = pages.flatMap((page) => page.episodes)
            if (episodes.length === 0 && narrowed) return <NothingThere clear={() => change(noFilters)} />
            if (episodes.length === 0) return <Nothing />
            return episodes.map((episode) => <EpisodeRow key={episode.id} episode={episode} />)
          }}
        </Loaded>
        <ShowMore query={query} />
      </div>
    </section>
  )
}

const NothingThere = ({ clear }: { clear: () => void }) => (
  <EmptyState
    icon={<IconFilterOff size={28} />}
    title="Nothing there"
    action={
      <Button variant="default" onClick={clear}>
        Look through everything
      </Button>
    }
  >
    No memory fits what you narrowed it to.
  </EmptyState>
)

const Nothing = () => (
  <EmptyState
    icon={<IconBrain size={28} />}
    title="Nothing is remembered yet"
    action={
      <Button variant="default" component={Link} href="/memory/upkeep">
        Remember earlier conversations
      </Button>
    }
  >
    Agents keep what matters of your conversations by themselves. You can also write something down, or have
    earlier conversations read.
  </EmptyState>
)
