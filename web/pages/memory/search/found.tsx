import { Text } from '@mantine/core'
import { IconSearchOff } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type EpisodeFilters, type SearchMode, type SearchResult, searchQuery } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Marked } from '../../../parts/marked.tsx'
import { counted } from '../../../parts/numbers.ts'
import { ShowMore } from '../../../parts/show-more.tsx'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import { percent } from '../labels.ts'
import classes from '../memory.module.css'
import { Degraded } from './degraded.tsx'
import { EpisodeRow } from './row.tsx'

interface FoundProps {
  asked: EpisodeFilters & { q: string; mode: SearchMode }
}

export function Found({ asked }: FoundProps) {
  const query = useInfiniteQuery(searchQuery(useApi(), asked))
  const first = query.data?.pages[0]
  return (
    <section aria-label="What was found" aria-busy={query.isPlaceholderData}>
      <div className={classes.count}>
        <Text size="sm" c="dimmed" role="status">
          {first && `${counted(first.total, 'memory', 'memories')} found, the best match first`}
        </Text>
      </div>
      {first?.degraded && <Degraded reason={first.degraded} again={() => query.refetch()} />}
      <div className="card">
        <Loaded query={query} what="The search" skeleton={<SkeletonRows count={6} height={64} />}>
          {({ pages }) => {
            const results = pages.flatMap((page) => page.results)
            if (results.length === 0) return <Nothing mode={asked.mode} />
            return results.map((result) => <ResultRow key={result.episode.id} result={result} />)
          }}
        </Loaded>
        <ShowMore query={query} />
      </div>
    </section>
  )
}

const why: Record<SearchResult['source'], string> = {
  keyword: 'by words',
  semantic: 'by meaning',
  both: 'by words and meaning',
}

function ResultRow({ result: { episode, score, source, highlights } }: { result: SearchResult }) {
  const text = highlights.length > 0 ? <Fragments highlights={highlights} /> : undefined
  return <EpisodeRow episode={episode} text={text} note={`${percent(score)} ${why[source]}`} />
}

/** The places that fit, in a row. */
const Fragments = ({ highlights }: { highlights: readonly string[] }) =>
  highlights.map((html) => (
    <span key={html} className={classes.fragment}>
      <Marked html={html} />
    </span>
  ))

function Nothing({ mode }: { mode: SearchMode }) {
  return (
    <EmptyState icon={<IconSearchOff size={28} />} title="Nothing was found">
      {mode === 'keyword'
        ? 'No memory has these words. Searching by meaning may find what is said in others.'
        : 'No memory has these words or means the same.'}
    </EmptyState>
  )
}
