import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import {
  connectServer,
  disconnectServer,
  discoverTools,
  testServer,
} from '../../runtime/settings/mcp/connect.ts'
import { Approved, ServerStatus, ServerTest, ToolServer } from '../../runtime/settings/mcp/schema.ts'
import { requireServer } from '../../runtime/settings/mcp/servers.ts'
import { showStatus } from '../../runtime/settings/mcp/show.ts'

/** Each may be repeated at will: it leads to the same end. */
const common = { params: z.object({ id: z.string() }), access: 'admin', idempotent: false } as const

export const test = endpoint({
  ...common,
  method: 'POST',
  path: '/api/settings/skills/mcp/{id}/test',
  summary: 'Connect once and let go, without storing anything',
  returns: ServerTest,
  async run({ params }, context) {
    return testServer(context, params.id)
  },
})

export const discover = endpoint({
  ...common,
  method: 'POST',
  path: '/api/settings/skills/mcp/{id}/discover',
  summary: 'Ask for the tools and approve them as they are',
  returns: Approved,
  async run({ params }, context) {
    return discoverTools(context, params.id)
  },
})

export const connect = endpoint({
  ...common,
  method: 'POST',
  path: '/api/settings/skills/mcp/{id}/connect',
  summary: 'Switch on, connect and approve the tools as they are',
  returns: Approved,
  async run({ params }, context) {
    return connectServer(context, params.id)
  },
})

export const disconnect = endpoint({
  ...common,
  method: 'POST',
  path: '/api/settings/skills/mcp/{id}/disconnect',
  summary: 'Switch off and end the process',
  returns: ToolServer,
  async run({ params }, context) {
    return disconnectServer(context, params.id)
  },
})

export const status = endpoint({
  method: 'GET',
  path: '/api/settings/skills/mcp/{id}/status',
  summary: 'The connection of a tool server and what its tools wait for',
  params: common.params,
  returns: ServerStatus,
  async run({ params }, context) {
    return showStatus(context, await requireServer(context, params.id))
  },
})
