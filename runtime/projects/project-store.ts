import { owned } from '../auth/owner.ts'
import { shown } from '../auth/sharing.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import type { Audit, Project, ProjectStatus } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

/** Stored together as JSON: nothing selects by them. */
const settings = [
  'strategy',
  'auto_approve_plan',
  'auto_approve_phases',
  'decision_mode',
  'path',
  'agent_id',
  'sme_archetype',
  'budget',
] as const
type Settings = Pick<Project, (typeof settings)[number]>

interface Row extends Omit<Project, keyof Settings | 'shared_with'> {
  settings: string
  shared_with: string
  audit: string | null
}

const toProject = ({ settings, audit: _, ...row }: Row): Project => ({
  ...row,
  shared_with: JSON.parse(row.shared_with) as string[],
  ...(JSON.parse(settings) as Settings),
})

const settingsOf = (project: Settings): string =>
  JSON.stringify(Object.fromEntries(settings.map((name) => [name, project[name]])))

/** A project whoever owns it, for the daemon's own work. */
export async function findProject({ sql }: Sql, id: string): Promise<Project | null> {
  const [row] = await sql.read<Row>('SELECT * FROM projects WHERE id = ?', [id])
  return row ? toProject(row) : null
}

/** A project that belongs to the caller. */
export const findOwnProject = (context: Reader, id: string) => findWhere(context, id, owned(context))

/** A project that belongs to the caller or is shared with them. */
export const findShownProject = async (context: Reader, id: string) =>
  findWhere(context, id, await shown(context, 'projects'))

async function findWhere(context: Reader, id: string, own: Condition): Promise<Project | null> {
  const [row] = await context.sql.read<Row>(`SELECT * FROM projects WHERE id = ? AND ${own.sql}`, [
    id,
    ...own.args,
  ])
  return row ? toProject(row) : null
}

export const sortOrders = {
  newest: 'created_at DESC, id DESC',
  oldest: 'created_at, id',
  name: 'name COLLATE NOCASE, id',
  updated: 'updated_at DESC, id DESC',
  status: `CASE status WHEN 'running' THEN 0 WHEN 'pending' THEN 1 WHEN 'failed' THEN 2 WHEN 'completed' THEN 3 ELSE 4 END,
    updated_at DESC, id DESC`,
} as const

export interface ProjectFilter {
  status?: ProjectStatus | undefined
  search?: string | undefined
  sort_by: keyof typeof sortOrders
  limit: number
  offset: number
}

/** A page of the projects that the caller may see; `status_counts` counts those that match the search, whatever their status. */
export async function listProjects(context: Reader, filter: ProjectFilter) {
  const own = await shown(context, 'projects')
  const found = filter.search
    ? {
        sql: `${own.sql} AND (name LIKE ? ESCAPE '\\' OR description LIKE ? ESCAPE '\\')`,
        args: [...own.args, ...Array<Value>(2).fill(`%${filter.search.replace(/[\\%_]/g, '\\$&')}%`)],
      }
    : own
  const status = filter.status ? { sql: ' AND status = ?', args: [filter.status] } : { sql: '', args: [] }
  const rows = await context.sql.read<Row>(
    `SELECT * FROM projects WHERE ${found.sql}${status.sql} ORDER BY ${sortOrders[filter.sort_by]} LIMIT ? OFFSET ?`,
    [...found.args, ...status.args, filter.limit, filter.offset],
  )
  const counts = await context.sql.read<{ status: ProjectStatus; count: number }>(
    `SELECT status, count(*) AS count FROM projects WHERE ${found.sql} GROUP BY status`,
    found.args,
  )
  const status_counts = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const row of counts) status_counts[row.status] = row.count
  const all = Object.values(status_counts).reduce((sum, count) => sum + count, 0)
  return {
    projects: rows.map(toProject),
    total: filter.status ? status_counts[filter.status] : all,
    status_counts,
  }
}

/** Names by id, for those of these projects that exist. */
export async function projectNames({ sql }: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql.read<{ id: string; name: string }>(
    'SELECT id, name FROM projects WHERE id IN (SELECT value FROM json_each(?))',
    [JSON.stringify(ids)],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export const insertProject = (project: Project): Statement => ({
  sql: `INSERT INTO projects (id, owner_id, name, description, status, settings, job_id, run_id, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    project.id,
    project.owner_id,
    project.name,
    project.description,
    project.status,
    settingsOf(project),
    project.job_id,
    project.run_id,
    project.created_at,
    project.updated_at,
  ],
})

/** Stores what a person may change. The guard refuses it if somebody else has changed the project meanwhile. */
export const updateProject = (project: Project, now: string): Statement => ({
  sql: 'UPDATE projects SET name = ?, description = ?, settings = ?, shared_with = ?, updated_at = ? WHERE id = ? AND updated_at = ?',
  args: [
    ...[project.name, project.description, settingsOf(project), JSON.stringify(project.shared_with)],
    ...[now, project.id, project.updated_at],
  ],
  guard: 'The project was changed by another request; try again',
})

/** Moves a project to another status. Fails with `guard` unless it has one of the statuses `from`. */
export const moveProject = (
  id: string,
  move: { from: readonly ProjectStatus[]; to: ProjectStatus; now: string; error?: string | null },
  guard: string,
): Statement => ({
  sql: `UPDATE projects SET status = ?, updated_at = ?, error = ?,
      started_at = CASE WHEN ? = 'running' THEN coalesce(started_at, ?) ELSE started_at END,
      completed_at = CASE WHEN ? IN ('completed', 'failed', 'cancelled') THEN ? END
    WHERE id = ? AND status IN (SELECT value FROM json_each(?))`,
  args: [
    ...[move.to, move.now, move.error ?? null, move.to, move.now, move.to, move.now],
    ...[id, JSON.stringify(move.from)],
  ],
  guard,
})

/**
 * Fails unless the project is running. With `now` it counts as a change, so that an end that was computed before it is not
 * stored.
 */
export const guardRunning = (
  { id, updated_at }: Pick<Project, 'id' | 'updated_at'>,
  now?: string,
): Statement => ({
  sql: `UPDATE projects SET updated_at = ? WHERE id = ? AND status = 'running'${now === undefined ? ' AND updated_at = ?' : ''}`,
  args: now === undefined ? [updated_at, id, updated_at] : [now, id],
  guard: 'The project has changed meanwhile; try again',
})

export const noteError = (id: string, error: string | null, now: string): Statement => ({
  sql: 'UPDATE projects SET error = ?, updated_at = ? WHERE id = ?',
  args: [error, now, id],
})

export const setConversation = (id: string, conversation: string): Statement => ({
  sql: 'UPDATE projects SET conversation_id = ? WHERE id = ? AND conversation_id IS NULL',
  args: [conversation, id],
})

export const deleteProject = (id: string): Statement => ({
  sql: 'DELETE FROM projects WHERE id = ?',
  args: [id],
  guard: 'The project was already deleted',
})

export const saveAudit = (id: string, audit: Audit): Statement => ({
  sql: 'UPDATE projects SET audit = ? WHERE id = ?',
  args: [JSON.stringify(audit), id],
})

/** The latest audit; null if there is none. */
export async function findAudit({ sql }: Sql, id: string): Promise<Audit | null> {
  const [row] = await sql.read<{ audit: string | null }>('SELECT audit FROM projects WHERE id = ?', [id])
  return row?.audit ? (JSON.parse(row.audit) as Audit) : null
}
