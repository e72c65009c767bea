import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import type { Statement } from '../../ports/sql.ts'
import type { ServerTool } from '../../ports/tool-servers.ts'

/** A stored tool server; sealed members are ciphertext. */
export interface ServerRecord {
  id: string
  name: string
  transport: 'stdio' | 'http' | 'sse'
  command: string | null
  args: string[]
  url: string | null
  sealed_env: string | null
  env_names: string[]
  sealed_headers: string | null
  header_names: string[]
  enabled: boolean
  tool_allow: string[]
  timeout_seconds: number
  trust: 'ask' | 'read_only'
  catalog_id: string | null
  created_at: string
  updated_at: string
}

const lists = ['args', 'env_names', 'header_names', 'tool_allow'] as const
type Lists = (typeof lists)[number]
type Row = Omit<ServerRecord, Lists | 'enabled'> & Record<Lists, string> & { enabled: number }
type Sql = Pick<Host, 'sql'>

const toRecord = (row: Row): ServerRecord => ({
  ...row,
  ...(Object.fromEntries(lists.map((name) => [name, JSON.parse(row[name])])) as Record<Lists, string[]>),
  enabled: row.enabled === 1,
})

/** Oldest first. */
export async function listServers({ sql }: Sql, { limit, offset }: Page): Promise<ServerRecord[]> {
  return (
    await sql.read<Row>('SELECT * FROM tool_servers ORDER BY id LIMIT ? OFFSET ?', [limit, offset])
  ).map(toRecord)
}

export async function countServers({ sql }: Sql): Promise<number> {
  const [row] = await sql.read<{ total: number }>('SELECT count(*) AS total FROM tool_servers')
  return row?.total ?? 0
}

/** Servers that may be started when an agent needs them. */
export async function enabledServers({ sql }: Sql): Promise<ServerRecord[]> {
  return (await sql.read<Row>('SELECT * FROM tool_servers WHERE enabled = 1 ORDER BY id')).map(toRecord)
}

export async function findServer({ sql }: Sql, id: string): Promise<ServerRecord | null> {
  const [row] = await sql.read<Row>('SELECT * FROM tool_servers WHERE id = ?', [id])
  return row ? toRecord(row) : null
}

export async function findServerByName({ sql }: Sql, name: string): Promise<ServerRecord | null> {
  const [row] = await sql.read<Row>('SELECT * FROM tool_servers WHERE name = ? COLLATE NOCASE', [name])
  return row ? toRecord(row) : null
}

export const nameTaken = 'There is already a tool server with this name'

const columns = (server: ServerRecord) => [
  server.name,
  server.transport,
  server.command,
  JSON.stringify(server.args),
  server.url,
  server.sealed_env,
  JSON.stringify(server.env_names),
  server.sealed_headers,
  JSON.stringify(server.header_names),
  Number(server.enabled),
  JSON.stringify(server.tool_allow),
  server.timeout_seconds,
  server.trust,
  server.catalog_id,
  server.created_at,
  server.updated_at,
  server.id,
]

export const insertServer = (server: ServerRecord): Statement => ({
  sql: `INSERT INTO tool_servers (name, transport, command, args, url, sealed_env, env_names, sealed_headers,
      header_names, enabled, tool_allow, timeout_seconds, trust, catalog_id, created_at, updated_at, id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  args: columns(server),
  guard: nameTaken,
})

/** Fails if the server has been changed or deleted since `before` was read, or if another one has just taken its name. */
export const updateServer = (server: ServerRecord, before: ServerRecord): Statement => ({
  sql: `UPDATE OR IGNORE tool_servers SET name = ?, transport = ?, command = ?, args = ?, url = ?, sealed_env = ?,
      env_names = ?, sealed_headers = ?, header_names = ?, enabled = ?, tool_allow = ?, timeout_seconds = ?,
      trust = ?, catalog_id = ?, created_at = ?, updated_at = ?
    WHERE id = ? AND updated_at = ? AND enabled = ?`,
  args: [...columns(server), before.updated_at, Number(before.enabled)],
  guard: 'The tool server was changed by another request; try again',
})

export const enableServer = (id: string, enabled: boolean): Statement => ({
  sql: 'UPDATE tool_servers SET enabled = ? WHERE id = ?',
  args: [Number(enabled), id],
  guard: 'The tool server was deleted',
})

/** Fails if the server has been changed since it was read: its tools were listed at that address. */
export const guardAddress = ({ id, updated_at }: ServerRecord): Statement => ({
  sql: 'UPDATE tool_servers SET updated_at = updated_at WHERE id = ? AND updated_at = ?',
  args: [id, updated_at],
  guard: 'The tool server was changed by another request; try again',
})

export const deleteServer = (id: string): Statement[] => [
  { sql: 'DELETE FROM approved_tools WHERE server_id = ?', args: [id] },
  { sql: 'DELETE FROM tool_servers WHERE id = ?', args: [id], guard: 'The tool server was already deleted' },
]

/** A tool as an administrator approved it. */
export interface ApprovedTool {
  server_id: string
  hash: string
  tool: ServerTool
}

type ApprovedRow = Omit<ApprovedTool, 'tool'> & { tool: string }

/** The approved tools of some servers, ordered by name. */
export async function approvedTools({ sql }: Sql, ids: readonly string[]): Promise<ApprovedTool[]> {
  const rows = await sql.read<ApprovedRow>(
    `SELECT server_id, hash, tool FROM approved_tools
      WHERE server_id IN (SELECT value FROM json_each(?)) ORDER BY server_id, name`,
    [JSON.stringify(ids)],
  )
  return rows.map((row) => ({ ...row, tool: JSON.parse(row.tool) as ServerTool }))
}

export const deleteApprovals = (server: string): Statement => ({
  sql: 'DELETE FROM approved_tools WHERE server_id = ?',
  args: [server],
})

export const insertApproval = (
  approved: ApprovedTool,
  { at, by }: { at: string; by: string },
): Statement => ({
  sql: `INSERT INTO approved_tools (server_id, name, hash, tool, approved_at, approved_by)
    VALUES (?, ?, ?, ?, ?, ?)`,
  args: [approved.server_id, approved.tool.name, approved.hash, JSON.stringify(approved.tool), at, by],
})
