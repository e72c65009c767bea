import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import { invalidField, notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import { openValues, sealValues } from './address.ts'
import type { NewServer, ServerChanges, ToolServer } from './schema.ts'
import { showServer, showServers } from './show.ts'
import {
  countServers,
  deleteServer,
  findServer,
  insertServer,
  listServers,
  type ServerRecord,
  updateServer,
} from './store.ts'

export async function listToolServers(context: Context, page: Page) {
  const [records, total] = await Promise.all([listServers(context, page), countServers(context)])
  return { servers: await showServers(context, records), total, ...page }
}

/** The server, or a 404. */
export async function requireServer(host: Pick<Host, 'sql'>, id: string): Promise<ServerRecord> {
  const server = await findServer(host, id)
  if (!server) throw notFound(`The tool server ${id}`)
  return server
}

/** Stores a server, switched off: what a settings page or a file says never starts a process. */
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
    catalog_id,
    created_at: iso(now),
    updated_at: iso(now),
  }
  await store(context, [insertServer(record)], { id, what: 'created' })
  return showServer(context, record)
}

const reaching = ['transport', 'command', 'args', 'env', 'url', 'headers'] as const

/** A server that is reached in another way than before is switched off until an administrator connects it. */
export async function changeToolServer(
  context: Context,
  id: string,
  changes: ServerChanges,
): Promise<ToolServer> {
  const old = await requireServer(context, id)
  const moved = reaching.some((member) => changes[member] !== undefined)
  if (moved && changes.enabled)
    throw invalidField('enabled', 'connect it after a change of how it is reached')
  const record = await merged(context, old, changes)
  if (moved) record.enabled = false
  checkReach(record)
  await store(context, [updateServer(record, old.updated_at)], { id, what: 'updated' })
  if (!record.enabled) await context.tool_servers.disconnect(id)
  return showServer(context, record)
}

async function merged(context: Context, old: ServerRecord, changes: ServerChanges): Promise<ServerRecord> {
  const { env, headers, ...rest } = changes
  const record = { ...old, ...rest, updated_at: iso(context.clock.now()) }
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
  const given = Object.entries({ ...old, ...changes })
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== null))
}

function checkReach({ transport, command, url }: ServerRecord): void {
  if (transport === 'stdio' && command === null) throw invalidField('command', 'is needed for stdio')
  if (transport !== 'stdio' && url === null) throw invalidField('url', `is needed for ${transport}`)
}

export async function removeToolServer(context: Context, id: string): Promise<void> {
  await requireServer(context, id)
  await store(context, deleteServer(id), { id, what: 'deleted' })
  await context.tool_servers.disconnect(id)
}

interface Change {
  id: string
  what: 'created' | 'updated' | 'deleted'
}

const store = (context: Context, statements: readonly Statement[], { id, what }: Change) =>
  context.commit(
    [...statements, auditStatement(context, { action: `tool_server.${what}`, target: id })],
    [{ type: `tool_server.${what}`, data: { tool_server_id: id } }],
  )
