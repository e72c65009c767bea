import { agentsArea } from '../runtime/agents/area.ts'
import type { Area } from '../runtime/area.ts'
import { authArea } from '../runtime/auth/area.ts'
import { browserArea } from '../runtime/browser/area.ts'
import { channelsArea } from '../runtime/channels/area.ts'
import { chatArea } from '../runtime/chat/area.ts'
import { credentialsArea } from '../runtime/credentials/area.ts'
import { devicesArea } from '../runtime/devices/area.ts'
import { dispatcherArea } from '../runtime/dispatcher/area.ts'
import { featuresArea } from '../runtime/features/area.ts'
import { filesArea } from '../runtime/files/area.ts'
import { hooksArea } from '../runtime/hooks/area.ts'
import type { ApiOf } from '../runtime/http/client.ts'
import type { Endpoint } from '../runtime/http/endpoint.ts'
import { RouteTable } from '../runtime/http/router.ts'
import { loadAll, type Routes } from '../runtime/http/routes.ts'
import type { SocketEndpoint } from '../runtime/http/socket.ts'
import { loopsArea } from '../runtime/loops/area.ts'
import { memoryArea } from '../runtime/memory/area.ts'
import { monitoringArea } from '../runtime/monitoring/area.ts'
import { projectsArea } from '../runtime/projects/area.ts'
import { providersArea } from '../runtime/providers/area.ts'
import { sandboxArea } from '../runtime/sandbox/area.ts'
import { schedulerArea } from '../runtime/scheduler/area.ts'
import { settingsArea } from '../runtime/settings/area.ts'
import { tablesArea } from '../runtime/tables/area.ts'
import { toolsArea } from '../runtime/tools/area.ts'
import { workflowsArea } from '../runtime/workflows/area.ts'
import { stream } from './browser/stream.ts'
import { deviceSocket, deviceSocketAlias } from './devices/socket.ts'
import { events } from './system/events.ts'

/**
 * The only list of areas. The host, the queue, the tools, the router, the documents, the typed clients and
 * the tests derive from it. Endpoints are loaded when a path of their area is first requested, so that
 * startup does not wait for them.
 */
export const areas = [
  {
    ...settingsArea,
    under: ['api/settings', 'mcp'],
    load: async () => (await import('./settings/index.ts')).settings,
  },
  { ...agentsArea, under: ['api/agents'], load: async () => (await import('./agents/index.ts')).agents },
  { ...authArea, under: ['api/auth', 'api/setup'], load: async () => (await import('./auth/index.ts')).auth },
  { ...chatArea, under: ['api/chat', 'api/permissions'], load: async () => (await import('./chat/index.ts')).chat },
  { ...filesArea, under: ['api/files'], load: async () => (await import('./files/index.ts')).files },
  { ...memoryArea, under: ['api/memory'], load: async () => (await import('./memory/index.ts')).memory },
  { ...browserArea, under: ['api/browser'], load: async () => (await import('./browser/index.ts')).browser },
  {
    ...dispatcherArea,
    under: ['api/dispatcher'],
    load: async () => (await import('./dispatcher/index.ts')).dispatcher,
  },
  {
    ...featuresArea,
    under: ['api/features'],
    load: async () => (await import('./features/index.ts')).features,
  },
  {
    ...providersArea,
    under: ['api/providers'],
    load: async () => (await import('./providers/index.ts')).providers,
  },
  {
    ...schedulerArea,
    under: ['api/scheduler'],
    load: async () => (await import('./scheduler/index.ts')).scheduler,
  },
  {
    ...monitoringArea,
    under: ['health', 'api/automations', 'api/health', 'api/metrics', 'api/monitoring'],
    load: async () => (await import('./monitoring/index.ts')).monitoring,
  },
  {
    ...projectsArea,
    under: ['api/projects'],
    load: async () => (await import('./projects/index.ts')).projects,
  },
  { ...loopsArea, under: ['api/loops'], load: async () => (await import('./loops/index.ts')).loops },
  {
    ...workflowsArea,
    under: ['api/workflows'],
    load: async () => (await import('./workflows/index.ts')).workflows,
  },
  {
    ...channelsArea,
    under: ['api/channels'],
    load: async () => (await import('./channels/index.ts')).channels,
  },
  {
    ...credentialsArea,
    under: ['api/credentials'],
    load: async () => (await import('./credentials/index.ts')).credentials,
  },
  { ...tablesArea, under: ['api/tables'], load: async () => (await import('./tables/index.ts')).tables },
  { ...sandboxArea, under: ['api/sandbox'], load: async () => (await import('./sandbox/index.ts')).sandbox },
  {
    ...devicesArea,
    under: ['api/devices', 'api/device-groups', 'api/notifications'],
    load: async () => (await import('./devices/index.ts')).devices,
  },
  {
    ...hooksArea,
    under: ['api/hooks', 'api/webhooks'],
    load: async () => (await import('./hooks/index.ts')).hooks,
  },
  { ...toolsArea, under: [], load: async () => [] },
  {
    name: 'system',
    under: ['api/', 'api/answers', 'api/docs', 'api/openapi.json', 'api/inbox'],
    load: async () =>
      (await import('./system/index.ts')).system(
        async () => ({ endpoints: await allEndpoints(), sockets }),
        (url) => routes().find('GET', url),
      ),
  },
] satisfies (Area & Routes<Endpoint>)[]

/** Built when first needed, because it includes the list. */
let table: RouteTable<Endpoint> | undefined
const routes = (): RouteTable<Endpoint> => {
  table ??= new RouteTable<Endpoint>(areas)
  return table
}

/** All of them, loaded, for code that describes or tests the whole API. */
export const allEndpoints = (): Promise<readonly Endpoint[]> => loadAll<Endpoint>(areas)

/** Every call that the API accepts, with its types: for the clients of the UI and the command line. */
export type Api = ApiOf<Awaited<ReturnType<(typeof areas)[number]['load']>>[number]>

export const sockets: readonly SocketEndpoint[] = [events, stream, deviceSocket, deviceSocketAlias]
