import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  type UndefinedInitialDataOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useApi } from '../app/services.tsx'
import { type AnswerOf, type Api, addressOf, type Input, type InputOf, type PathOf } from './client.ts'
import { ApiError } from './error.ts'

type Path = PathOf<'GET'>
type Answer<P extends Path> = AnswerOf<'GET', P>

type Options<Data> = Partial<
  Pick<
    UndefinedInitialDataOptions<Data, Error, Data, readonly unknown[]>,
    'enabled' | 'staleTime' | 'gcTime' | 'retry' | 'placeholderData'
  >
>

/** The query of a GET endpoint. Its key begins with the address, so `refresh` finds it by a prefix of that. */
export function endpointQuery<P extends Path>(api: Api, path: P, ...[input]: Input<'GET', P>) {
  return queryOptions<Answer<P>, Error, Answer<P>, readonly unknown[]>({
    queryKey: keyOf(path, input),
    queryFn: ({ signal }) => get(api, path, input, signal),
  })
}

/** What a GET endpoint answers, kept fresh by the event bus. */
export function useEndpoint<P extends Path>(
  path: P,
  ...[input, options]: [...Input<'GET', P>, Options<Answer<P>>?] | []
) {
  return useQuery({ ...endpointQuery(useApi(), path, ...([input] as Input<'GET', P>)), ...(options as object) })
}
