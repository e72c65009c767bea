import { Text } from '@mantine/core'
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loaded } from './loaded.tsx'
import { ShowMore } from './show-more.tsx'

interface ListProps<Data, Item> {
  query: UseQueryResult<Data> | UseInfiniteQueryResult<Data>
  /** Used in the title of the error, such as "Agents". */
  what: string
  items: (data: Data) => readonly Item[]
  /** Shown if there are no items. */
  empty: ReactNode
  skeleton?: ReactNode
  children: (item: Item, index: number) => ReactNode
}

/** The items of a query, with the states loading, failed and empty, and a button if there are more. */
export function List<Data, Item>({ query, what, items, empty, skeleton, children }: ListProps<Data, Item>) {
  const none = typeof empty === 'string' ? <Nothing>{empty}</Nothing> : empty
  return (
    <>
      <Loaded query={query as UseQueryResult<Data>} what={what} skeleton={skeleton}>
        {(data) => {
          const found = items(data)
          return found.length === 0 ? none : found.map(children)
        }}
      </Loaded>
      {'hasNextPage' in query && <ShowMore query={query} />}
    </>
  )
}

/** That a list is empty, in one line. */
export const Nothing = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed" px="md" pb="md">
    {children}
  </Text>
)
