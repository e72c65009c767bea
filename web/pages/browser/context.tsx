import { type UseQueryResult, useMutation } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useEffectEvent } from 'react'
import type { Action, Snapshot, Tab } from '../../../runtime/tabs/schema.ts'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { type Live, useLive } from './live-stream.ts'

/** What all parts of the page share. */
export interface BrowserContext {
  live: Live
  /** The active one. */
  tab: Tab | undefined
  snapshot: UseQueryResult<Snapshot>
  /** Someone else has used the page since the snapshot, so its numbers may mean other elements. */
  outdated: boolean
  act(action: Action): void
  /** The action that is running. */
  acting: Action | null
  /** Why the last action failed. */
  failure: unknown
  dismissFailure(): void
}

const Context = createContext<BrowserContext | null>(null)

export function useBrowser(): BrowserContext {
  const context = use(Context)
  if (!context) throw new Error('BrowserProvider is missing')
  return context
}

/** Each snapshot numbers the elements again, so one is taken only when someone needs it. */
const onDemand = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, retry: false }

export function BrowserProvider({ children }: { children: ReactNode }) {
  const api = useApi()
  const live = useLive()
  const refetch = useRefresh()
  const refresh = () => void refetch('/api/browser/snapshot')
  const tab = live.state?.tabs.find(({ active }) => active)
  const mutation = useMutation({
    mutationFn: (action: Action) =>
      api.post('/api/browser/action', { body: { ...(tab && { tab_id: tab.id }), ...action } }),
    meta: { shown: true },
    onSettled: refresh,
  })
  const snapshot = useEndpoint(
    '/api/browser/snapshot',
    { query: { tab_id: tab?.id } },
    { ...onDemand, enabled: tab !== undefined },
  )
  const [last] = live.actions
  useRefreshedSnapshot(live, refresh)
  // `dataUpdatedAt` is 0 before the first snapshot.
  const taken = snapshot.dataUpdatedAt
  return (
    <Context
      value={{
        live,
        tab,
        snapshot,
        outdated: last !== undefined && !last.by_person && taken > 0 && taken < last.received_at,
        act: (action) => mutation.mutate(action),
        acting: mutation.isPending ? mutation.variables : null,
        failure: mutation.error,
        dismissFailure: mutation.reset,
      }}
    >
      {children}
    </Context>
  )
}

function useRefreshedSnapshot({ actions: [last], rejection }: Live, refresh: () => void): void {
  const run = useEffectEvent(refresh)
  const delay = useEndpoint('/api/settings/browser').data?.snapshot_interval_ms
  useEffect(() => {
    if (!last?.by_person || delay === undefined) return
    const timer = setTimeout(() => run(), delay)
    return () => clearTimeout(timer)
  }, [last, delay])
  useEffect(() => {
    // A dialog has no picture: only the snapshot contains it.
    if (rejection?.code === 'dialog_open') run()
  }, [rejection])
}
