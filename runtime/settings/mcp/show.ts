import type { Host } from '../../host.ts'
import type { LinkStatus } from '../../ports/tool-servers.ts'
import { iso } from '../../time.ts'
import { compareTools } from './compare.ts'
import type { ServerState, ServerStatus, ToolEntry, ToolServer } from './schema.ts'
import { type ApprovedTool, approvedTools, type ServerRecord } from './store.ts'

type Reader = Pick<Host, 'sql' | 'secrets' | 'tool_servers'>

/** Servers as people see them: without secrets, with what this process knows of their connections. */
export async function showServers(host: Reader, servers: readonly ServerRecord[]): Promise<ToolServer[]> {
  const approved = await approvedTools(
    host,
    servers.map(({ id }) => id),
  )
  return servers.map((server) => show(host, server, approved))
}

export async function showServer(host: Reader, server: ServerRecord): Promise<ToolServer> {
  return show(host, server, await approvedTools(host, [server.id]))
}

function show(host: Reader, record: ServerRecord, approved: readonly ApprovedTool[]): ToolServer {
  const { sealed_env: _, sealed_headers: __, ...server } = record
  const link = host.tool_servers.status(record.id)
  const tools = toolsOf(host, record, approved)
  return {
    ...server,
    status: stateOf(record, link),
    suspended: isSuspended(tools),
    tools,
    last_error: link.last_error,
  }
}

/** The connection of a server, in more detail than the list has room for. */
export async function showStatus(host: Reader, server: ServerRecord): Promise<ServerStatus> {
  const { since, attempts, next_try_at, last_error, stderr, ...link } = host.tool_servers.status(server.id)
  const tools = toolsOf(host, server, await approvedTools(host, [server.id]))
  return {
    id: server.id,
    status: stateOf(server, link),
    since: since === null ? null : iso(since),
    attempts,
    next_try_at: next_try_at === null ? null : iso(next_try_at),
    last_error,
    stderr,
    suspended: isSuspended(tools),
    tools: tools.map(({ name, tool, state }) => ({ name, tool, state })),
  }
}

function toolsOf(host: Reader, server: ServerRecord, approved: readonly ApprovedTool[]): ToolEntry[] {
  const own = approved.filter(({ server_id }) => server_id === server.id)
  const live = host.tool_servers.tools(server.id)
  return compareTools({ server, approved: own, live, secrets: host.secrets })
}

const isSuspended = (tools: readonly ToolEntry[]) => tools.some(({ state }) => state === 'changed')

/** One that is off may still have failed at the last try to connect it. */
function stateOf({ enabled }: ServerRecord, { state }: Pick<LinkStatus, 'state'>): ServerState {
  return !enabled && state === 'idle' ? 'disabled' : state
}
