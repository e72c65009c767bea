import { IconAffiliate } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { relatedQuery } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import { reasonLabels } from '../labels.ts'
import { EpisodeRow } from '../search/row.tsx'

export function Related({ id }: { id: string }) {
  const query = useQuery(relatedQuery(useApi(), id))
  return (
    <Panel title="Related">
      <Loaded query={query} what="What is related" skeleton={<SkeletonRows count={4} height={64} />}>
        {({ related }) =>
          related.length > 0 ? (
            related.map(({ episode, reason }) => (
              <EpisodeRow key={episode.id} episode={episode} note={reasonLabels[reason]} />
            ))
          ) : (
            <EmptyState icon={<IconAffiliate size={28} />} title="Nothing is related yet">
              No other memory means the same, speaks of the same or is of the same time.
            </EmptyState>
          )
        }
      </Loaded>
    </Panel>
  )
}
