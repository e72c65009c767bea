import { queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import type { CatalogEntry, Need } from '../../runtime/settings/mcp/catalog.ts'
import type {
  Approved,
  NewServer as NewServerSchema,
  ServerChanges,
  ServerTest,
  ToolEntry,
  ToolServer,
} from '../../runtime/settings/mcp/schema.ts'
import type { Api } from './client.ts'

export type { Approved, CatalogEntry, Need, ServerChanges, ServerTest, ToolEntry, ToolServer }
export type NewServer = z.input<typeof NewServerSchema>

export const serversPath = '/api/settings/skills/mcp'

export const toolServersQuery = (api: Api) =>
  queryOptions({
    queryKey: ['tool-servers', 'list'],
    queryFn: ({ signal }) =>
      api.get<{ servers: ToolServer[]; total: number }>(serversPath, { limit: 200 }, signal),
  })

/** Well-known servers. */
export const catalogQuery = (api: Api) =>
  queryOptions({
    queryKey: ['tool-server-catalog'],
    queryFn: ({ signal }) =>
      api.get<{ entries: CatalogEntry[]; total: number }>(`${serversPath}/catalog`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
