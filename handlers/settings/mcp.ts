import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, listOf, pageQuery } from '../../runtime/http/page.ts'
import { NewServer, ServerChanges, ToolServer } from '../../runtime/settings/mcp/schema.ts'
import {
  addToolServer,
  changeToolServer,
  listToolServers,
  removeToolServer,
  requireServer,
} from '../../runtime/settings/mcp/servers.ts'
import { showServer } from '../../runtime/settings/mcp/show.ts'

/** What is written here names programs that run on this machine, so it is for administrators. */
const access = 'admin'

export const list = endpoint({
  method: 'GET',
  path: '/api/settings/skills/mcp',
  summary: 'Tool servers with their status and tools',
  query: pageQuery(),
  returns: listOf('servers', ToolServer),
  async run({ query }, context) {
    return listToolServers(context, query)
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/settings/skills/mcp',
  summary: 'Add a tool server, switched off',
  access,
  body: NewServer,
  returns: ToolServer,
  status: 201,
  async run({ body }, context) {
    return addToolServer(context, body)
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/skills/mcp/{id}',
  summary: 'Read a tool server',
  returns: ToolServer,
  async run({ params }, context) {
    return showServer(context, await requireServer(context, params.id))
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/skills/mcp/{id}',
  summary: 'Change a tool server; how it is reached only with a new connection',
  access,
  body: ServerChanges,
  returns: ToolServer,
  async run({ params, body }, context) {
    return changeToolServer(context, params.id, body)
  },
})

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/settings/skills/mcp/{id}',
  summary: 'Delete a tool server and end its process',
  access,
  returns: Deleted,
  async run({ params }, context) {
    await removeToolServer(context, params.id)
    return { deleted: true, id: params.id }
  },
})
