import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Api } from '../api/client.ts'
import { refresh } from '../api/live.ts'
import { useApi } from '../app/services.tsx'

interface ChangeOptions<Input, Result> {
  /** Prefixes of addresses that are fetched again, also after a failure; see `refresh`. */
  stale?: readonly string[]
  /** Called when the stale queries are fresh. */
  done?(result: Result, input: Input): unknown
}

/** A mutation through the API. A failure is announced in a corner. */
export function useChange<Result, Input = void>(
  change: (api: Api, input: Input) => Promise<Result>,
  { stale = [], done }: ChangeOptions<Input, Result> = {},
) {
  const api = useApi()
  const queries = useQueryClient()
  const refetch = () => refresh(queries, ...stale)
  return useMutation({
    mutationFn: (input: Input) => change(api, input),
    async onSuccess(result, input) {
      await refetch()
      await done?.(result, input)
    },
    onError: refetch,
  })
}
