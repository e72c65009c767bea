import { z } from 'zod'
import { verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { file } from '../../runtime/http/returns.ts'
import { CatalogEntry, catalog, Installation, installServer } from '../../runtime/settings/mcp/catalog.ts'
import {
  connectServer,
  disconnectServer,
  discoverTools,
  testServer,
} from '../../runtime/settings/mcp/connect.ts'
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
const servers = { path: '/api/settings/skills/mcp', owner: 'house', access } as const

/** Before `show`, whose path would match it too. */
export const listCatalog = endpoint({
  method: 'GET',
  path: '/api/settings/skills/mcp/catalog',
  owner: 'house',
  summary: 'List well-known tool servers and what each needs',
  returns: z.object({ entries: z.array(CatalogEntry).readonly(), total: z.number().int() }),
  run: () => ({ entries: catalog, total: catalog.length }),
})

export const install = endpoint({
  method: 'POST',
  path: '/api/settings/skills/mcp/catalog/{entry_id}/install',
  owner: 'house',
  summary: 'Add a well-known tool server, disabled',
  access,
  body: Installation,
  body_optional: true,
  returns: ToolServer,
  status: 201,
  run: ({ params, body }, context) => installServer(context, params.entry_id, body),
})

export const list = endpoint({
  method: 'GET',
  path: '/api/settings/skills/mcp',
  owner: 'house',
  summary: 'List tool servers with their status and tools',
  query: pageQuery(),
  returns: listOf('servers', ToolServer),
  run: ({ query }, context) => listToolServers(context, query),
})

export const create = endpoint({
  method: 'POST',
  path: '/api/settings/skills/mcp',
  owner: 'house',
  summary: 'Add a tool server, disabled',
  access,
  body: NewServer,
  returns: ToolServer,
  status: 201,
  run: ({ body }, context) => addToolServer(context, body),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/skills/mcp/{id}',
  owner: 'house',
  summary: 'Get a tool server',
  returns: ToolServer,
  run: async ({ params }, context) => showServer(context, await requireServer(context, params.id)),
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/skills/mcp/{id}',
  owner: 'house',
  summary: 'Change a tool server; a new address disables it',
  access,
  body: ServerChanges,
  returns: ToolServer,
  run: ({ params, body }, context) => changeToolServer(context, params.id, body),
})

export const remove = removal({
  path: '/api/settings/skills/mcp/{id}',
  owner: 'house',
  summary: 'Delete a tool server and end its process',
  access,
  remove: removeToolServer,
})

export const test = verbOf(servers, 'test', {
  summary: 'Connect once without storing anything',
  idempotent: false,
  returns: ServerTest,
  run: testServer,
})

export const discover = verbOf(servers, 'discover', {
  summary: 'List the tools and approve them as they are',
  idempotent: false,
  returns: Approved,
  run: discoverTools,
})

export const connect = verbOf(servers, 'connect', {
  summary: 'Enable, connect, and approve the tools as they are',
  idempotent: false,
  returns: Approved,
  run: connectServer,
})

export const disconnect = verbOf(servers, 'disconnect', {
  summary: 'Disable and end the process',
  idempotent: false,
  returns: ToolServer,
  run: disconnectServer,
})

export const status = endpoint({
  method: 'GET',
  path: '/api/settings/skills/mcp/{id}/status',
  owner: 'house',
  summary: 'Get the state of the connection and of each tool',
  returns: ServerStatus,
  run: async ({ params }, context) => showStatus(context, await requireServer(context, params.id)),
})

const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number().int()]).optional(),
  method: z.string().optional(),
})

/** hearthd as a tool server. */
export const serve = endpoint({
  method: 'POST',
  path: '/mcp',
  owner: 'none',
  summary: 'Use hearthd as a server of the Model Context Protocol, over Streamable HTTP',
  access: 'read',
  body: z.union([Message, z.array(Message).min(1).max(100)]),
  idempotent: false,
  returns: file('text/event-stream'),
  run: ({ request, body }, context) => serveMcp(request, body, context),
})
