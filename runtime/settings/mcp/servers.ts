import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import { conflict, invalidField } from '../../fault.ts'
import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import { newId } from '../../id.ts'
import { againIfLost } from '../../lost-race.ts'
import { requireReachable } from '../../outbound/reachable.ts'
import type { Statement } from '../../ports/sql.ts'
import type { LinkStatus, ToolServerAddress } from '../../ports/tool-servers.ts'
import { required } from '../../required.ts'
import { iso, laterThan } from '../../time.ts'
import { serverPurpose } from '../purposes.ts'
import { compareTools } from './compare.ts'
import type { NewServer, ServerChanges, ServerState, ServerStatus, ToolEntry, ToolServer } from './schema.ts'
import {
  type ApprovedTool,
  approvedTools,
  deleteServer,
  findServerByName,
  nameTaken,
  type ServerRecord,
  toolServers,
  updateServer,
} from './store.ts'

export async function listToolServers(context: Context, page: Page) {
  const { rows, total } = await toolServers.page(context, page, 'id')
  return { rows: await showServers(context, rows), total }
}

/** The server, or a 404. */
export const requireServer = required('tool server', (context, id) => toolServers.find(context, { id }))

/** Stores a server, disabled: neither a settings page nor a file ever starts a process. */
export async function addToolServer(
  context: Context,
  { env, headers, ...input }: NewServer,
  catalog_id: string | null = null,
): Promise<ToolServer> {
  const now = context.clock.now()
  const id = newId('mcp', now)
  const record: ServerRecord = {
    ...input,
    id,
    sealed_env: await sealValues(context, id, 'env', env),
    env_names: Object.keys(env),
    sealed_headers: await sealValues(context, id, 'headers', headers),
    header_names: Object.keys(headers),
    enabled: false,
    trust: 'ask',
    catalog_id,
    created_at: iso(now),
    updated_at: iso(now),
  }
  checkAddress(context, record, null)
  const answer = await showServer(context, record)
  await store(context, 'created', id, [toolServers.insert(record)], answer)
  return answer
}

const addressMembers = ['transport', 'command', 'args', 'env', 'url', 'headers'] as const

/** A server whose address changes is disabled until an administrator connects it. */
export async function changeToolServer(context: Context, id: string, changes: ServerChanges): Promise<ToolServer> {
  const record = await againIfLost(() => changeOnce(context, id, changes))
  if (!record.enabled) await context.tool_servers.disconnect(id)
  return showServer(context, record)
}

async function changeOnce(context: Context, id: string, changes: ServerChanges): Promise<ServerRecord> {
  const old = await requireServer(context, id)
  const named = changes.name && (await findServerByName(context, changes.name))
  if (named && named.id !== id) throw conflict(nameTaken)
  const moved = addressMembers.some((member) => changes[member] !== undefined)
  if (moved && changes.enabled)
    throw invalidField('enabled', 'cannot be set together with a new address; connect the server afterwards')
  const record = await merged(context, old, changes)
  if (moved) {
    record.enabled = false
    // The trust was in the server at the old address.
    record.trust = changes.trust ?? 'ask'
  }
  checkAddress(context, record, old.url)
  await store(context, 'updated', id, [updateServer(record, old)])
  return record
}

async function merged(context: Context, old: ServerRecord, changes: ServerChanges): Promise<ServerRecord> {
  const { env, headers, ...rest } = changes
  const record = { ...old, ...rest, updated_at: laterThan(old.updated_at, context.clock.now()) }
  if (env) {
    const values = mergeValues(await openValues(context, old.id, 'env', old.sealed_env), env)
    record.sealed_env = await sealValues(context, old.id, 'env', values)
    record.env_names = Object.keys(values)
  }
  if (headers) {
    const values = mergeValues(await openValues(context, old.id, 'headers', old.sealed_headers), headers)
    record.sealed_headers = await sealValues(context, old.id, 'headers', values)
    record.header_names = Object.keys(values)
  }
  return record
}

function mergeValues(old: Record<string, string>, changes: Record<string, string | null>) {
  const entries = Object.entries({ ...old, ...changes })
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null))
}

function checkAddress(context: Context, { transport, command, url }: ServerRecord, before: string | null): void {
  if (url !== null && url !== before) requireReachable(context, url, 'url')
  if (transport === 'stdio' && command === null) throw invalidField('command', 'is required for stdio')
  if (transport !== 'stdio' && url === null) throw invalidField('url', `is required for ${transport}`)
}

export async function removeToolServer(context: Context, id: string): Promise<void> {
  await requireServer(context, id)
  await store(context, 'deleted', id, deleteServer(id))
  await context.tool_servers.disconnect(id)
}

const store = (
  context: Context,
  what: 'created' | 'updated' | 'deleted',
  id: string,
  statements: readonly Statement[],
  answer?: ToolServer,
) =>
  context.commit(
    [...statements, auditStatement(context, { action: `tool_server.${what}`, target: id })],
    [{ type: `tool_server.${what}`, data: { tool_server_id: id } }],
    { answer },
  )

type Reader = Pick<Host, 'sql' | 'secrets' | 'tool_servers'>

/** Servers as people see them: without secrets, with the state of their connections in this process. */
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

/** The connection of a server in detail. */
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

/** A disabled server may have failed when it was last connected. */
function stateOf({ enabled }: ServerRecord, { state }: Pick<LinkStatus, 'state'>): ServerState {
  return !enabled && state === 'idle' ? 'disabled' : state
}

type Secrets = Pick<Context, 'secrets'>
type Kind = 'env' | 'headers'

/** The sealed values; null if there are none. */
async function sealValues(
  { secrets }: Secrets,
  id: string,
  kind: Kind,
  values: Record<string, string>,
): Promise<string | null> {
  return Object.keys(values).length === 0 ? null : secrets.seal(JSON.stringify(values), serverPurpose(id, kind))
}

async function openValues(
  { secrets }: Secrets,
  id: string,
  kind: Kind,
  sealed: string | null,
): Promise<Record<string, string>> {
  return sealed === null ? {} : JSON.parse(await secrets.open(sealed, serverPurpose(id, kind)))
}

/** How to reach a server, with its secrets in plaintext: only for the port. */
export async function addressOf(host: Secrets, server: ServerRecord): Promise<ToolServerAddress> {
  const { id, transport, command, args, url } = server
  if (transport === 'stdio') {
    const env = await openValues(host, id, 'env', server.sealed_env)
    return { transport, command: command ?? '', args, env }
  }
  return { transport, url: url ?? '', headers: await openValues(host, id, 'headers', server.sealed_headers) }
}
