import { z } from 'zod'
import { endpointsOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { CatalogEntry, catalog, Installation, installServer } from '../../runtime/settings/mcp/catalog.ts'
import { connectServer, disconnectServer, discoverTools, testServer } from '../../runtime/settings/mcp/connect.ts'
import {
  Approved,
  NewServer,
  ServerChanges,
  ServerStatus,
  ServerTest,
  ToolServer,
} from '../../runtime/settings/mcp/schema.ts'
import { serveMcp } from '../../runtime/settings/mcp/serve.ts'
import {
  addToolServer,
  changeToolServer,
  listToolServers,
  removeToolServer,
  requireServer,
  showServer,
  showStatus,
} from '../../runtime/settings/mcp/servers.ts'

/** A tool server names a program that runs on this machine, so only administrators change it. */
const access = 'admin'
const servers = {
  path: '/api/settings/skills/mcp',
  items: 'servers',
  owner: 'shared',
  access,
  summaries: {
    list: 'List tool servers with their status and tools',
    create: 'Add a tool server, disabled',
    show: 'Get a tool server',
    update: 'Change a tool server; a new address disables it',
    remove: 'Delete a tool server and end its process',
  },
  New: NewServer,
  Changes: ServerChanges,
  Row: ToolServer,
  list: listToolServers,
  add: addToolServer,
  require: requireServer,
  show: showServer,
  edit: changeToolServer,
  remove: removeToolServer,
} as const

/** Before `show`, whose path would match it too. */
export const listCatalog = endpoint('GET /api/settings/skills/mcp/catalog', {
  owner: 'shared',
  summary: 'List well-known tool servers and what each needs',
  returns: z.object({ entries: z.array(CatalogEntry).readonly(), total: z.int() }),
  run: () => ({ entries: catalog, total: catalog.length }),
})

export const install = endpoint('POST /api/settings/skills/mcp/catalog/{entry_id}/install', {
  owner: 'shared',
  summary: 'Add a well-known tool server, disabled',
  access,
  body: Installation,
  body_optional: true,
  returns: ToolServer,
  status: 201,
  run: ({ params, body }, context) => installServer(context, params.entry_id, body),
})

export const { list, create, show, update, remove } = endpointsOf(servers)

export const test = verbOf(servers, 'test', {
  summary: 'Test the connection to a tool server; nothing is stored',
  idempotent: false,
  returns: ServerTest,
  run: testServer,
})

export const discover = verbOf(servers, 'discover', {
  summary: 'List the tools of a tool server and approve them as they are',
  idempotent: false,
  returns: Approved,
  run: discoverTools,
})

export const connect = verbOf(servers, 'connect', {
  summary: 'Enable and connect a tool server, and approve its tools as they are',
  idempotent: false,
  returns: Approved,
  run: connectServer,
})

export const disconnect = verbOf(servers, 'disconnect', {
  summary: 'Disable a tool server and end its process',
  idempotent: false,
  returns: ToolServer,
  run: disconnectServer,
})

export const status = endpoint('GET /api/settings/skills/mcp/{id}/status', {
  owner: 'shared',
  summary: 'Get the state of a tool server and of each of its tools',
  returns: ServerStatus,
  run: async ({ params }, context) => showStatus(context, await requireServer(context, params.id)),
})

const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]).optional(),
  method: z.string().optional(),
})

/** hearthd as a tool server. */
export const serve = endpoint('POST /mcp', {
  owner: 'none',
  summary: 'Use hearthd as a server of the Model Context Protocol, over Streamable HTTP',
  access: 'read',
  body: z.union([Message, z.array(Message).min(1).max(100)]),
  idempotent: false,
  returns: file('text/event-stream'),
  run: ({ request, body }, context) => serveMcp(request, body, context),
})
