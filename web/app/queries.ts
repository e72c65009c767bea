import { MutationCache, QueryClient } from '@tanstack/react-query'
import { worthRetrying } from '../api/error.ts'
import { announceError } from '../parts/announce.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The form shows the error itself, so no notification repeats it. */
      shown?: boolean
    }
  }
}

/** The bus says what is stale; until then an answer stays fresh. */
export function createQueries(): QueryClient {
  const mutations = new MutationCache({
    onError(error, _variables, _result, mutation) {
      if (!mutation.meta?.shown) announceError(error)
    },
  })
  return new QueryClient({
    mutationCache: mutations,
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (failures, error) => failures < 1 && worthRetrying(error),
        // Asking is allowed even when the browser believes to be offline: the daemon may be on this machine.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
}
