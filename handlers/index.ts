import { type Area, loadAll } from '../runtime/http/area.ts'
import type { ApiOf } from '../runtime/http/client.ts'
import type { Endpoint } from '../runtime/http/endpoint.ts'
import type { SocketEndpoint } from '../runtime/http/socket.ts'
import { stream } from './browser/stream.ts'
import { events } from './system/events.ts'

/**
 * Every endpoint there is, by area. The router, the documents, the typed client and the auth matrix derive from it.
 * An area is loaded when it is first asked for, so that a start waits for none.
 */
export const areas = [
  { under: ['api/auth', 'api/setup'], load: async () => (await import('./auth/index.ts')).auth },
  { under: ['api/settings', 'mcp'], load: async () => (await import('./settings/index.ts')).settings },
  { under: ['api/agents'], load: async () => (await import('./agents/index.ts')).agents },
  { under: ['api/chat'], load: async () => (await import('./chat/index.ts')).chat },
  { under: ['api/files'], load: async () => (await import('./files/index.ts')).files },
  { under: ['api/memory'], load: async () => (await import('./memory/index.ts')).memory },
  { under: ['api/browser'], load: async () => (await import('./browser/index.ts')).browser },
  { under: ['api/features'], load: async () => (await import('./features/index.ts')).features },
  { under: ['api/providers'], load: async () => (await import('./providers/index.ts')).providers },
  { under: ['api/scheduler'], load: async () => (await import('./scheduler/index.ts')).scheduler },
  {
    under: ['health', 'api/health', 'api/metrics', 'api/monitoring'],
    load: async () => (await import('./monitoring/index.ts')).monitoring,
  },
  {
    under: ['api/', 'api/docs', 'api/openapi.json'],
    load: async () =>
      (await import('./system/index.ts')).system(async () => ({ endpoints: await allEndpoints(), sockets })),
  },
] satisfies Area<Endpoint>[]

/** All of them, loaded; for what describes or tests the whole API. */
export const allEndpoints = (): Promise<readonly Endpoint[]> => loadAll<Endpoint>(areas)

/** Every call that the API takes, with its types: for the clients of the UI and the command line. */
export type Api = ApiOf<Awaited<ReturnType<(typeof areas)[number]['load']>>[number]>

export const sockets: readonly SocketEndpoint[] = [events, stream]
