import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect } from 'react'
import { type Action, doAct, type Snapshot, snapshotQuery, type Tab } from '../../api/browser.ts'
import { useApi } from '../../app/services.tsx'
import type { LoggedAct } from './live/messages.ts'
import { type Live, useLive } from './live/use-live.ts'

/** What the parts of the page share: the live view, the snapshot, and how something is done in the browser. */
export interface Desk {
  live: Live
  /** The active one. */
  tab: Tab | undefined
  snapshot: UseQueryResult<Snapshot>
  /** Somebody has used the page since the snapshot was taken, so its numbers may mean something else. */
  outdated: boolean
  act(action: Action): void
  acting: Action | null
  /** Why the last act could not be done. */
  failure: unknown
  forgetFailure(): void
}

const DeskContext = createContext<Desk | null>(null)

export function useDesk(): Desk {
  const desk = use(DeskContext)
  if (!desk) throw new Error('DeskProvider is missing')
  return desk
}

/** Milliseconds of rest after which what a person has done by hand is looked at. */
const lookAfter = 700

export function DeskProvider({ children }: { children: ReactNode }) {
  const api = useApi()
  const live = useLive()
  const queries = useQueryClient()
  const look = () => queries.invalidateQueries({ queryKey: ['browser-snapshot'] })
  const doing = useMutation({
    mutationFn: (action: Action) => doAct(api, action),
    meta: { shown: true },
    onSettled: () => void look(),
  })
  const tab = live.state?.tabs.find(({ active }) => active)
  const snapshot = useQuery({ ...snapshotQuery(api, tab?.id), enabled: tab !== undefined })
  const [last] = live.acts
  useEffect(() => {
    if (!last?.by_person) return
    const timer = setTimeout(() => {
      void queries.invalidateQueries({ queryKey: ['browser-snapshot'] })
    }, lookAfter)
    return () => clearTimeout(timer)
  }, [last, queries])
  // A dialog has no picture: the snapshot tells of it.
  const refused = live.refused
  useEffect(() => {
    if (refused?.code === 'dialog_open') void queries.invalidateQueries({ queryKey: ['browser-snapshot'] })
  }, [refused, queries])
  const desk: Desk = {
    live,
    tab,
    snapshot,
    outdated: last !== undefined && isNewer(last, snapshot.dataUpdatedAt),
    act: (action) => doing.mutate(action),
    acting: doing.isPending ? doing.variables : null,
    failure: doing.error,
    forgetFailure: doing.reset,
  }
  return <DeskContext value={desk}>{children}</DeskContext>
}

/** What a person does by hand is looked at by itself. `looked_at` is 0 before the first look. */
const isNewer = ({ by_person, heard_at }: LoggedAct, looked_at: number) =>
  !by_person && looked_at > 0 && looked_at < heard_at
