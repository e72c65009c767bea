import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { type Bus, type BusState, createBus, type EventsOf } from '../api/bus.ts'
import { type Api, createApi } from '../api/client.ts'
import { followBus } from '../api/live.ts'
import { createSessionStore, type Session, type SessionStore } from '../api/session.ts'

/** What the pages share, created once at startup and passed down. */
export interface Services {
  session: SessionStore
  api: Api
  bus: Bus
}

const ServicesContext = createContext<Services | null>(null)

export function createServices(): Services {
  const session = createSessionStore()
  const api = createApi(session)
  return { session, api, bus: createBus(api) }
}

export function ServicesProvider({ services, children }: { services: Services; children: ReactNode }) {
  return <ServicesContext value={services}>{children}</ServicesContext>
}

export function useServices(): Services {
  const services = use(ServicesContext)
  if (!services) throw new Error('ServicesProvider is missing')
  return services
}

export const useApi = (): Api => useServices().api

export function useSession(): Session | null {
  const { session } = useServices()
  return useSyncExternalStore(session.subscribe, session.get)
}

export function useBusState(): BusState {
  const { bus } = useServices()
  return useSyncExternalStore(bus.watch, bus.state)
}

/** Whether nothing can be read or changed, because hearthd or its database server cannot be reached. */
export function useUnreachable(): boolean {
  const state = useBusState()
  return state === 'offline' || state === 'stranded'
}

/** Calls `listener` for each event whose type begins with `prefix`, and for `resync`. */
export function useBusEvents<const Prefix extends string>(
  prefix: Prefix,
  listener: (event: EventsOf<Prefix>) => void,
): void {
  const { bus } = useServices()
  const heard = useEffectEvent(listener)
  useEffect(() => bus.listen([prefix], (event) => heard(event)), [bus, prefix])
}

/** The bus lives as long as the session with this token, and keeps the queries fresh. */
export function useLiveQueries(token: string | undefined): void {
  const { bus } = useServices()
  const queries: QueryClient = useQueryClient()
  useEffect(() => {
    if (token === undefined) return
    const leave = followBus(bus, queries)
    bus.start()
    return () => {
      bus.stop()
      leave()
    }
  }, [bus, queries, token])
}
