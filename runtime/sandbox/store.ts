import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import type { Container, LogEntry } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

const columns = ['id', 'name', 'status', 'backend', 'agent_id', 'created_at', 'last_used_at'] as const

interface Row extends Pick<Container, (typeof columns)[number]> {
  owner_id: string
  spec: string
}

export interface StoredContainer extends Container {
  owner_id: string
}

const toContainer = ({ spec, ...row }: Row): StoredContainer => ({ ...JSON.parse(spec), ...row })

export const publicContainer = ({ owner_id: _, ...container }: StoredContainer): Container => container

export async function listContainers(context: Reader, { limit, offset }: Page) {
  const own = owned(context)
  const rows = await context.sql.read<Row>(
    `SELECT * FROM sandbox_containers WHERE ${own.sql} ORDER BY id DESC LIMIT ? OFFSET ?`,
    [...own.args, limit, offset],
  )
  const [count] = await context.sql.read<{ total: number; running: number }>(
    `SELECT count(*) AS total, coalesce(sum(status = 'running'), 0) AS running FROM sandbox_containers WHERE ${own.sql}`,
    own.args,
  )
  return { rows: rows.map(toContainer), total: count?.total ?? 0, running: count?.running ?? 0 }
}

export async function findContainer(context: Reader, id: string): Promise<StoredContainer | null> {
  const own = owned(context)
  const query = `SELECT * FROM sandbox_containers WHERE id = ? AND ${own.sql}`
  const [row] = await context.sql.read<Row>(query, [id, ...own.args])
  return row ? toContainer(row) : null
}

/** The container in which an agent runs the commands of an owner. */
export async function findAgentContainer(
  { sql }: Sql,
  agent_id: string,
  owner_id: string,
): Promise<StoredContainer | null> {
  const query = 'SELECT * FROM sandbox_containers WHERE agent_id = ? AND owner_id = ? ORDER BY id DESC LIMIT 1'
  const [row] = await sql.read<Row>(query, [agent_id, owner_id])
  return row ? toContainer(row) : null
}

/** All containers, whoever owns them. */
export async function allContainers({ sql }: Sql): Promise<StoredContainer[]> {
  return (await sql.read<Row>('SELECT * FROM sandbox_containers ORDER BY id')).map(toContainer)
}

/** Whether the sandbox was used: an engine may have containers that the previous process left behind. */
export async function wasUsed({ sql }: Sql): Promise<boolean> {
  const query = 'SELECT 1 FROM sandbox_containers UNION ALL SELECT 1 FROM sandbox_commands LIMIT 1'
  return (await sql.read(query)).length > 0
}

function split(container: StoredContainer) {
  const { id, owner_id, name, status, backend, agent_id, created_at, last_used_at, ...spec } = container
  return { row: [id, owner_id, name, status, backend, agent_id], spec, times: [created_at, last_used_at] }
}

export function insertContainer(container: StoredContainer): Statement {
  const { row, spec, times } = split(container)
  return {
    sql: `INSERT INTO sandbox_containers (id, owner_id, name, status, backend, agent_id, spec, created_at, last_used_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    args: [...row, JSON.stringify(spec), ...times],
  }
}

export const limitContainer = (container: StoredContainer): Statement => ({
  sql: 'UPDATE sandbox_containers SET spec = ? WHERE id = ?',
  args: [JSON.stringify(split(container).spec), container.id],
})

export const updateContainer = (
  id: string,
  { name, status, last_used_at }: Partial<Pick<Container, 'name' | 'status' | 'last_used_at'>>,
): Statement => ({
  sql: `UPDATE sandbox_containers SET name = coalesce(?, name), status = coalesce(?, status),
    last_used_at = coalesce(?, last_used_at) WHERE id = ?`,
  args: [name ?? null, status ?? null, last_used_at ?? null, id],
})

export const deleteContainer = (id: string): Statement => ({
  sql: 'DELETE FROM sandbox_containers WHERE id = ?',
  args: [id],
})

/** Log entries that are kept for each container. */
const kept = 100

export const insertLog = (container_id: string, entry: LogEntry): Statement[] => [
  {
    sql: `INSERT INTO sandbox_commands (id, container_id, command, started_at, output, exit_code, error, timed_out, truncated, duration_ms)
      SELECT ?, id, ?, ?, ?, ?, ?, ?, ?, ? FROM sandbox_containers WHERE id = ?`,
    args: [
      ...[entry.id, entry.command, entry.started_at, entry.output, entry.exit_code, entry.error],
      ...[Number(entry.timed_out), Number(entry.truncated), entry.duration_ms, container_id],
    ],
  },
  {
    sql: `DELETE FROM sandbox_commands WHERE container_id = ? AND id NOT IN
      (SELECT id FROM sandbox_commands WHERE container_id = ? ORDER BY id DESC LIMIT ${kept})`,
    args: [container_id, container_id],
  },
]

type LogRow = Omit<LogEntry, 'timed_out' | 'truncated'> & { timed_out: number; truncated: number }

export async function listLog(host: Sql, container_id: string, page: Page) {
  const select = `SELECT id, command, started_at, output, exit_code, error, timed_out, truncated, duration_ms
    FROM sandbox_commands WHERE container_id = ?`
  const query = { select, args: [container_id], order: 'id DESC' }
  const { rows, total } = await selectPage<LogRow>(host, query, page)
  const entries = rows.map((row) => ({
    ...row,
    timed_out: row.timed_out === 1,
    truncated: row.truncated === 1,
  }))
  return { rows: entries, total }
}
