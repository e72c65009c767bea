import { Group, NativeSelect, SegmentedControl } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { EmptyState } from './list.tsx'
import { SearchField } from './search-field.tsx'
import { useParameters } from './use-parameters.ts'

const all = 'all'

/** The filter of a list. Status and order are part of the address. */
export function useListFilter<Status extends string, Sort extends string = ''>(firstSort: Sort) {
  const { get, set } = useParameters()
  const [text, setText] = useState(get('search'))
  const [settled] = useDebouncedValue(text.trim(), 250)
  return {
    /** Null for any. */
    status: (get('status') || null) as Status | null,
    sort_by: (get('sort') || firstSort) as Sort,
    /** The search, once no more keys are pressed. */
    search: settled,
    text,
    setText,
    setStatus: (status: string) => set({ status: status === all ? '' : status }),
    setSort: (sort: string) => set({ sort: sort === firstSort ? '' : sort }),
  }
}

interface ListFilterProps<Status extends string> {
  filter: ReturnType<typeof useListFilter<Status, string>>
  /** Placeholder of the search. */
  what: string
  statuses: Record<Status, { label: string }>
  counts: Record<Status, number> | undefined
  /** No choice if left out. */
  sorts?: readonly { value: string; label: string }[]
  /** Next to the search. */
  children?: ReactNode
}

/** A search, an order, and the statuses with their counts. */
export function ListFilter<Status extends string>({ filter, what, ...props }: ListFilterProps<Status>) {
  const { statuses, counts, sorts, children } = props
  const total = counts && Object.values<number>(counts).reduce((sum, count) => sum + count, 0)
  const label = (text: string, count: number | undefined) => (count === undefined ? text : `${text} ${count}`)
  const entries = Object.entries(statuses) as [Status, { label: string }][]
  return (
    <>
      <Group mb="xs" gap="xs" wrap="nowrap">
        <SearchField what={what} data-search value={filter.text} change={filter.setText} />
        {children}
        {sorts && (
          <NativeSelect
            aria-label="Order"
            data={[...sorts]}
            value={filter.sort_by}
            onChange={(event) => filter.setSort(event.currentTarget.value)}
          />
        )}
      </Group>
      <Group mb="sm" style={{ overflowX: 'auto' }} wrap="nowrap">
        <SegmentedControl
          aria-label="Status"
          size="xs"
          data={[
            { value: all, label: label('All', total) },
            ...entries.map(([value, status]) => ({ value, label: label(status.label, counts?.[value]) })),
          ]}
          value={filter.status ?? all}
          onChange={filter.setStatus}
        />
      </Group>
    </>
  )
}

interface NoMatchesProps {
  /** What the list has, such as "loops". */
  what: string
}

export const NoMatches = ({ what }: NoMatchesProps) => (
  <EmptyState icon={<IconSearch />} title={`No matching ${what}`}>
    Change the search or the status above.
  </EmptyState>
)
