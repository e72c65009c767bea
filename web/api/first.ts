import type { QueryClient } from '@tanstack/react-query'
import { pendingApprovals } from './chat.ts'
import type { Api, InputOf, PathOf } from './client.ts'
import { addressOf } from './client.ts'

export const nextJobs = { query: { status: 'active', limit: 5 } } as const
export const recentChats = { query: { limit: 8, archived: false, kind: 'user' } } as const

type Call = { [Path in PathOf<'GET'>]: readonly [Path, InputOf<'GET', Path>?] }[PathOf<'GET'>]

/** What every page begins with. */
const frame: readonly Call[] = [
  ['/api/auth/me'],
  ['/api/settings/profile'],
  ['/api/settings/interface'],
  ['/api/monitoring/kill-switch'],
  ['/api/inbox'],
]
const home: readonly Call[] = [
  ['/api/monitoring/now'],
  ['/api/scheduler/jobs', nextJobs],
  ['/api/chat/conversations', recentChats],
  ['/api/chat/approvals', pendingApprovals],
  ['/api/monitoring/health'],
]

/**
 * Fetches what the first page needs in one request, which starts before the code of the page is there. The queries of
 * the page find their answers, or wait for them. What is missing is fetched by a request of its own.
 */
export function fetchFirst(api: Api, queries: QueryClient, path: string): void {
  const calls = (path === '/' ? [...frame, ...home] : frame).map(([path, input = {}]) => ({
    address: addressOf(path, input as { query?: Record<string, unknown> }),
    queryKey: [path, (input as { query?: object }).query ?? {}],
  }))
  const of = calls.map(({ address }) => address).join(' ')
  const all = api.get('/api/answers', { query: { of } }).catch((): Record<string, unknown> => ({}))
  for (const { address, queryKey } of calls)
    void queries.prefetchQuery({
      queryKey,
      queryFn: async () => (await all)[address] ?? (await api.open('GET', address as '/api/inbox')).json(),
    })
}
