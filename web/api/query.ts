import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../app/services.tsx'
import { type AnswerOf, type Api, addressOf, type InputOf, type PathOf } from './client.ts'
import { ApiError } from './error.ts'
import { refresh } from './live.ts'

type Path = PathOf<'GET'>
type Answer<P extends Path> = AnswerOf<'GET', P>

interface Options {
  enabled?: boolean
  staleTime?: number
  gcTime?: number
  retry?: boolean
  /** Milliseconds between reads of figures that change without an event. Default: never. */
  refetchInterval?: number
  /** Shows the previous answer while another one loads: for filters and pages. */
  keepPrevious?: boolean
}

type Arguments<P extends Path> =
  Record<never, never> extends InputOf<'GET', P>
    ? [input?: InputOf<'GET', P>, options?: Options]
    : [input: InputOf<'GET', P>, options?: Options]

/** The query of a GET endpoint. Its key begins with its address, so that `refresh` finds it by a prefix. */
export function endpointQuery<P extends Path>(api: Api, path: P, ...[input, options]: Arguments<P>) {
  const { keepPrevious: _, ...others } = options ?? {}
  return queryOptions({
    queryKey: keyOf(path, input),
    queryFn: ({ signal }): Promise<Answer<P>> => get(api, path, input, { signal }),
    ...others,
  })
}

/** The answer of a GET endpoint, kept fresh by the event bus. */
export function useEndpoint<P extends Path>(path: P, ...rest: Arguments<P>) {
  const [, options] = rest
  return useQuery<Answer<P>, Error, Answer<P>, readonly unknown[]>({
    ...endpointQuery(useApi(), path, ...rest),
    ...(options?.keepPrevious && { placeholderData: keepPreviousData as never }),
  })
}

/** The same, but null when it does not exist or was deleted. */
export const useOptional = <P extends Path>(path: P, ...rest: Arguments<P>) =>
  useQuery(optionalQuery(useApi(), path, ...rest))

/** `endpointQuery` whose answer is null after a 404. */
export function optionalQuery<P extends Path>(api: Api, path: P, ...[input]: Arguments<P>) {
  return queryOptions({
    queryKey: [...keyOf(path, input), 'optional'],
    queryFn: ({ signal }): Promise<Answer<P> | null> =>
      get(api, path, input, { signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }),
  })
}

interface PageOptions extends Options {
  /** Rows per page. */
  size?: number
}

/** A list that is read page by page; the endpoint takes `limit` and `offset` and answers with `total`. */
export function usePages<P extends Path>(
  path: P,
  input: InputOf<'GET', P>,
  { size = 50, keepPrevious, ...options }: PageOptions = {},
) {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: [...keyOf(path, input), 'pages'],
    queryFn: ({ pageParam, signal }): Promise<Answer<P>> => {
      const query = { ...(input as { query?: object }).query, limit: size, offset: pageParam }
      return get(api, path, input, { query, signal })
    },
    initialPageParam: 0,
    getNextPageParam: (last, _pages, offset) =>
      offset + size < (last as { total: number }).total ? offset + size : undefined,
    placeholderData: keepPreviousData,
    ...options,
  })
}

/** Queries are typed by their path; the input of a path that is not known statically cannot be. */
const get = <P extends Path>(api: Api, path: P, input: unknown, more: object): Promise<Answer<P>> =>
  (api.get as (path: P, input: object) => Promise<Answer<P>>)(path, { ...(input as object), ...more })

const keyOf = (path: string, input: unknown): readonly unknown[] => {
  const { params = {}, query = {} } = (input ?? {}) as { params?: Record<string, string>; query?: object }
  return [addressOf(path, { params }), query]
}

export function useRefresh() {
  const queries = useQueryClient()
  return (...prefixes: readonly string[]) => refresh(queries, ...prefixes)
}
