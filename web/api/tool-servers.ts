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
import { endpointQuery } from './query.ts'

export type { Approved, CatalogEntry, Need, ServerChanges, ServerTest, ToolEntry, ToolServer }
export type NewServer = z.input<typeof NewServerSchema>

export const serversPath = '/api/settings/skills/mcp'

export const toolServersQuery = (api: Api) => endpointQuery(api, serversPath, { query: { limit: 200 } })

/** Well-known servers. */
export const catalogQuery = (api: Api) =>
  endpointQuery(api, `${serversPath}/catalog`, {}, { staleTime: Number.POSITIVE_INFINITY })
