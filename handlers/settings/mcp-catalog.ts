import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { CatalogEntry, Installation } from '../../runtime/settings/mcp/catalog/entry.ts'
import { catalog } from '../../runtime/settings/mcp/catalog/index.ts'
import { installServer } from '../../runtime/settings/mcp/install.ts'
import { ToolServer } from '../../runtime/settings/mcp/schema.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/settings/skills/mcp/catalog',
  summary: 'Well-known tool servers and what each needs',
  returns: z.object({ entries: z.array(CatalogEntry), total: z.number().int() }),
  run: () => ({ entries: catalog.slice(), total: catalog.length }),
})

export const install = endpoint({
  method: 'POST',
  path: '/api/settings/skills/mcp/catalog/{entry_id}/install',
  summary: 'Add a well-known tool server, switched off',
  access: 'admin',
  body: Installation,
  body_optional: true,
  returns: ToolServer,
  status: 201,
  async run({ params, body }, context) {
    return installServer(context, params.entry_id, body)
  },
})
