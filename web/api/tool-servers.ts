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

export type { Approved, CatalogEntry, Need, ServerChanges, ServerTest, ToolEntry, ToolServer }
export type NewServer = z.input<typeof NewServerSchema>
