import { Alert, Button, EmptyState as Empty, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react'
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError, readable, worthRetrying } from '../api/error.ts'
import { Hint, Muted } from './typography.tsx'

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
  children: Answer<Data>[Name] extends readonly (infer Item)[] ? (item: Item, index: number) => ReactNode : never
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
  <Muted px="md" pb="md">
    {children}
  </Muted>
)

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  /** Used in the title of the error, such as "Agents". */
  what: string
  skeleton?: ReactNode
  children: (data: Data) => ReactNode
}

/**
 * The states of every list: loading, failed with a retry button, or loaded. Loaded data stays visible while
 * it is refreshed.
 */
export function Loaded<Data>({ query, what, skeleton, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ErrorState what={what} error={query.error} retry={() => query.refetch()} />
  return skeleton ?? <SkeletonRows />
}

interface FoundProps<Data> extends Omit<LoadedProps<Data>, 'query'> {
  query: UseQueryResult<Data | null>
  icon: ReactNode
}

/** A single item that may have been deleted; `what` names it, such as "This job". */
export const Found = <Data,>({ icon, children, ...rest }: FoundProps<Data>) => (
  <Loaded<Data | null> {...rest}>
    {(data) =>
      data === null ? (
        <EmptyState icon={icon} title={`${rest.what} was not found`}>
          It may have been deleted.
        </EmptyState>
      ) : (
        children(data)
      )
    }
  </Loaded>
)

interface ErrorStateProps {
  error: unknown
  /** What could not be loaded, such as "Agents". */
  what?: string
  retry?: () => unknown
}

/** An error: what happened, what to do, and a retry button. */
export function ErrorState({ error, what, retry }: ErrorStateProps) {
  const offline = error instanceof ApiError && error.offline
  const title = offline ? 'hearthd is not answering' : `${what ?? 'This'} could not be loaded`
  return (
    <Alert
      role="alert"
      color={offline ? 'gray' : 'red'}
      title={title}
      m="md"
      icon={offline ? <IconPlugConnectedX size={18} /> : <IconAlertTriangle size={18} />}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{readable(error)}</Text>
        {error instanceof ApiError && error.request_id && <Hint>Request {error.request_id}</Hint>}
        {retry && worthRetrying(error) && (
          <Button size="xs" variant="default" onClick={() => retry()}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

interface EmptyStateProps {
  icon: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Empty py="xl" icon={icon} title={title} description={children}>
      {action && (
        <Empty.Actions>
          <Group>{action}</Group>
        </Empty.Actions>
      )}
    </Empty>
  )
}

/** Rows of the height that the data will have, so nothing jumps when it arrives. */
export function SkeletonRows({ count = 4, height = 44 }: { count?: number; height?: number }) {
  return (
    <Stack gap={0} aria-busy="true">
      {places(count).map((place) => (
        <div key={place} className="row" style={{ height }}>
          <Skeleton height={12} radius="xl" width={`${70 - (place % 3) * 15}%`} />
        </div>
      ))}
    </Stack>
  )
}

/** Shown while the code of a page is loading. */
export function PageSkeleton() {
  return (
    <div className="page" aria-busy="true">
      <Skeleton height={26} width={180} mb="lg" />
      <div className="card">
        <SkeletonRows count={5} />
      </div>
    </div>
  )
}

export function CardSkeletons({ count, height }: { count: number; height: number }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} aria-busy="true">
      {places(count).map((place) => (
        <Skeleton key={place} height={height} radius="md" />
      ))}
    </SimpleGrid>
  )
}

const places = (count: number) => Array.from({ length: count }, (_, place) => place)

interface ShowMoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** The button below a list that loads its next page. */
export function ShowMore({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowMoreProps) {
  if (!hasNextPage) return null
  return (
    <Group justify="center" p="sm">
      <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        Show more
      </Button>
    </Group>
  )
}
