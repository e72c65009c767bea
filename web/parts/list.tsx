import { Text } from '@mantine/core'
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loaded } from './loaded.tsx'
import { ShowMore } from './show-more.tsx'

interface ListProps<Data> {
  query: UseQueryResult<Data> | UseInfiniteQueryResult<Data>
  /** Used in the title of the error, such as "Agents". */
  what: string
  /** Shown if there are no items. */
  empty: ReactNode
  skeleton?: ReactNode
}

/** The answer of an endpoint, or one of the pages of a list that is read page by page. */
type Answer<Data> = Data extends { pages: readonly (infer Page)[] } ? Page : Data

interface ByName<Data, Name extends keyof Answer<Data>> extends ListProps<Data> {
  /** The member of the answer that has the items. */
  items: Name
  children: Answer<Data>[Name] extends readonly (infer Item)[]
    ? (item: Item, index: number) => ReactNode
    : never
}

interface ByFunction<Data, Item> extends ListProps<Data> {
  items: (data: Data) => readonly Item[]
  children: (item: Item, index: number) => ReactNode
}

/** The items of a query, with the states loading, failed and empty, and a button if there are more. */
export function List<Data, Name extends keyof Answer<Data>>(props: ByName<Data, Name>): ReactNode
export function List<Data, Item>(props: ByFunction<Data, Item>): ReactNode
export function List({ query, what, items, empty, skeleton, children }: ByFunction<unknown, unknown>) {
  const none = typeof empty === 'string' ? <Nothing>{empty}</Nothing> : empty
  const of = typeof items === 'function' ? items : (data: unknown) => membersOf(data, items)
  return (
    <>
      <Loaded query={query as UseQueryResult} what={what} skeleton={skeleton}>
        {(data) => {
          const found = of(data)
          return found.length === 0 ? none : found.map(children)
        }}
      </Loaded>
      {'hasNextPage' in query && <ShowMore query={query} />}
    </>
  )
}

function membersOf(data: unknown, name: string): unknown[] {
  const { pages = [data] } = data as { pages?: unknown[] }
  return pages.flatMap((page) => (page as Record<string, unknown[]>)[name] ?? [])
}

/** That a list is empty, in one line. */
export const Nothing = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed" px="md" pb="md">
    {children}
  </Text>
)
