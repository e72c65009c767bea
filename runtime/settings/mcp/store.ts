import type { Statement } from '../../ports/sql.ts'
import type { ServerTool } from '../../ports/tool-servers.ts'
import { type Sql, Table } from '../../table.ts'
import type { NewServer, ServerTrust } from './schema.ts'

/** A stored tool server; sealed members are ciphertext. */
export interface ServerRecord extends Omit<NewServer, 'env' | 'headers'> {
  id: string
  sealed_env: string | null
  env_names: string[]
  sealed_headers: string | null
  header_names: string[]
  enabled: boolean
  trust: ServerTrust
  catalog_id: string | null
  created_at: string
  updated_at: string
}

export const nameTaken = 'There is already a tool server with this name'

export const toolServers = new Table<ServerRecord>('tool_servers', {
  booleans: ['enabled'],
  json: ['args', 'env_names', 'header_names', 'tool_allow'],
  unique: nameTaken,
})

/** Of any case. */
export const findServerByName = (host: Sql, name: string) =>
  toolServers.find(host, { sql: 'name = ? COLLATE NOCASE', args: [name] })

/** Fails if the server has been changed or deleted since `before` was read, or if another one has just taken its name. */
export const updateServer = (server: ServerRecord, { id, updated_at, enabled }: ServerRecord): Statement =>
  toolServers.update(server, { id, updated_at, enabled }, 'The tool server was changed by another request; try again')

export const enableServer = (id: string, enabled: boolean): Statement =>
  toolServers.update({ enabled }, { id }, 'The tool server was deleted')

/** Fails if the server has been changed since it was read: its tools were listed at that address. */
export const guardAddress = ({ id, updated_at }: ServerRecord): Statement =>
  toolServers.update({ updated_at }, { id, updated_at }, 'The tool server was changed by another request; try again')

export const deleteServer = (id: string): Statement[] => [
  deleteApprovals(id),
  toolServers.delete({ id }, 'The tool server was already deleted'),
]

/** A tool as an administrator approved it. */
export interface ApprovedTool {
  server_id: string
  hash: string
  tool: ServerTool
}

interface StoredTool extends ApprovedTool {
  name: string
  approved_at: string
  approved_by: string
}

const approvals = new Table<StoredTool>('approved_tools', { json: ['tool'] })

/** The approved tools of some servers, ordered by name. */
export const approvedTools = (host: Sql, ids: readonly string[]): Promise<ApprovedTool[]> =>
  approvals.list(host, 'server_id, name', { server_id: ids })

export const deleteApprovals = (server_id: string): Statement => approvals.delete({ server_id })

export const insertApproval = (approved: ApprovedTool, { at, by }: { at: string; by: string }): Statement =>
  approvals.insert({ ...approved, name: approved.tool.name, approved_at: at, approved_by: by })
