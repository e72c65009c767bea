import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState, SkeletonRows } from './states.tsx'

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  /** "Agents", for the error's title. */
  what: string
  skeleton?: ReactNode
  children: (data: Data) => ReactNode
}

/** The states that every list has: loading, failed with a way on, or there. Data once read stays while it is read again. */
export function Loaded<Data>({ query, what, skeleton, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ErrorState what={what} error={query.error} retry={() => query.refetch()} />
  return skeleton ?? <SkeletonRows />
}
