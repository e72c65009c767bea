import type { ReactNode } from 'react'
import { usePages } from '../api/query.ts'
import { List, SkeletonRows } from './list.tsx'
import { ListFilter, NoMatches, useListFilter } from './list-filter.tsx'
import type { ItemOf, Items, ListPath } from './resource-list.tsx'

interface FilteredListProps<Path extends ListPath, Name extends Items<Path>, Status extends string> {
  path: Path
  items: Name
  /** All of them, such as `Projects`. */
  title: string
  statusOf: (status: Status) => { label: string }
  /** Orders, of which the first is the default. No choice if left out. */
  sorts?: readonly { value: string; label: string }[]
  /** Shown while there are none. */
  none: ReactNode
  /** Above the rows; receives those that are shown. */
  bar?: (items: ItemOf<Path, Name>[]) => ReactNode
  children: (item: ItemOf<Path, Name>) => ReactNode
}

/** A collection with a search, an order, and the statuses with their counts. */
export function FilteredList<Path extends ListPath, Name extends Items<Path>, Status extends string>(
  props: FilteredListProps<Path, Name, Status>,
) {
  const { path, items, title, statusOf, sorts, none, bar, children } = props
  const filter = useListFilter<string, string>(sorts?.[0]?.value ?? '')
  const { status, search, sort_by } = filter
  const query = usePages(path, { query: { status, search, sort_by } } as never, { size: 20 })
  const pages = (query.data?.pages ?? []) as Record<PropertyKey, unknown>[]
  const counts = pages[0]?.status_counts as Record<string, number> | undefined
  const total = counts && Object.values(counts).reduce((sum, count) => sum + count, 0)
  const things = title.toLowerCase()
  const list = pages.flatMap((page) => page[items] as ItemOf<Path, Name>[])
  if (total === 0 && search === '') return none
  return (
    <>
      <ListFilter
        filter={filter}
        what={`Search ${things}`}
        statuses={Object.fromEntries(Object.keys(counts ?? {}).map((value) => [value, statusOf(value as Status)]))}
        counts={counts}
        {...(sorts && { sorts })}
      />
      {bar?.(list)}
      <section className="card" aria-label={title}>
        <List
          query={query}
          what={title}
          items={() => list}
          empty={<NoMatches what={things} />}
          skeleton={<SkeletonRows count={5} height={68} />}
        >
          {children}
        </List>
      </section>
    </>
  )
}
