import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EmptyState, ErrorState, SkeletonRows } from './states.tsx'

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
