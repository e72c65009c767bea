import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Api } from '../api/client.ts'
import { refresh } from '../api/live.ts'
import { useApi } from '../app/services.tsx'

interface ChangeOptions<Input, Result> {
  /** Prefixes of further addresses that are fetched again, also after a failure; see `refresh`. */
  stale?: readonly string[]
  /** Called when the stale queries are fresh. */
  done?: ((result: Result, input: Input) => unknown) | undefined
}

/**
 * A mutation through the API. Each collection that it changes is fetched again, such as `/api/loops` after
 * `/api/loops/{id}/start`. A failure is announced in a corner.
 */
export function useChange<Result, Input = void>(
  change: (api: Api, input: Input) => Promise<Result>,
  { stale = [], done }: ChangeOptions<Input, Result> = {},
) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    async mutationFn(input: Input) {
      const changed = new Set(stale)
      try {
        const result = await change(noting(api, changed), input)
        await refresh(queries, ...changed)
        return result
      } catch (error) {
        void refresh(queries, ...changed)
        throw error
      }
    },
    onSuccess: (result, input) => done?.(result, input),
  })
}

/** The API, which adds the collections that it changes to `changed`. */
function noting(api: Api, changed: Set<string>): Api {
  const noted = (method: 'post' | 'put' | 'patch' | 'delete') => (path: string, input?: object) => {
    changed.add(path.replace(/\/\{.*/, ''))
    return (api[method] as (path: string, input?: object) => Promise<unknown>)(path, input)
  }
  return {
    ...api,
    post: noted('post'),
    put: noted('put'),
    patch: noted('patch'),
    delete: noted('delete'),
  } as Api
}

/** A mutation without input, or what it does through the API. */
export type Run<Result = unknown> =
  | ((api: Api) => Promise<Result>)
  | { mutate(input?: undefined, options?: { onSettled(): void }): void; isPending: boolean }

/** The mutation of a button. */
export function useRun<Result>(run: Run<Result>, done?: (result: Result) => unknown) {
  const own = useChange((api): Promise<Result> => (typeof run === 'function' ? run(api) : Promise.reject()), { done })
  return typeof run === 'function' ? own : run
}
