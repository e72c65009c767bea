import { owned } from '../auth/owner.ts'
import { visibleRows } from '../auth/sharing.ts'
import { changedByAnother } from '../fault.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { containing, type Reader, type Sql, Table } from '../table.ts'
import type { Audit, Project, ProjectStatus } from './schema.ts'

/** Stored together: nothing selects by them. */
const settings = [
  ...(['strategy', 'auto_approve_plan', 'auto_approve_phases', 'decision_mode'] as const),
  ...(['path', 'agent_id', 'sme_archetype', 'budget', 'max_wait_hours', 'use_lessons', 'trust'] as const),
]

const projects = new Table<Project, 'audit'>('projects', {
  json: ['shared_with'],
  packed: { column: 'settings', fields: settings },
  hidden: ['audit'],
})

/** A project of any owner, for the daemon's own work. */
export const findProject = (host: Sql, id: string) => projects.find(host, { id })

/** A project that belongs to the caller. */
export const findOwnProject = (context: Reader, id: string) => projects.find(context, { id }, owned(context))

/** A project that belongs to the caller or is shared with them. */
export const findShownProject = async (context: Reader, id: string) =>
  projects.find(context, { id }, await visibleRows(context, 'projects'))

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

/** A page of the projects that the caller may see; `status_counts` counts all projects that match the search. */
export async function listProjects(context: Reader, filter: ProjectFilter) {
  const own = await visibleRows(context, 'projects')
  const search = containing(filter.search, 'name', 'description')
  const { status } = filter
  const { rows, total } = await projects.page(context, filter, sortOrders[filter.sort_by], own, search, { status })
  const status_counts: Record<ProjectStatus, number> = {
    pending: 0,
    running: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    ...(await projects.countBy(context, 'status', own, search)),
  }
  return { rows, total, status_counts }
}

/** The caller's own projects that have not ended. */
export const openProjects = (context: Reader) =>
  projects.list(context, 'id', { status: ['pending', 'running'] }, owned(context))

/** The caller's own projects that have failed since this time. */
export const failedProjects = (context: Reader, since: string) =>
  projects.list(context, 'id', { status: 'failed' }, sql`updated_at > ${since}`, owned(context))

export const projectNames = (host: Sql, ids: readonly string[]) => projects.names(host, ids)

export const insertProject = (project: Project): Statement => projects.insert(project)

/** Stores what a person may change. The guard refuses it if somebody else has changed the project meanwhile. */
export const updateProject = (project: Project, now: string): Statement => {
  const { id, name, description, shared_with, updated_at } = project
  const changed: Partial<Project> = Object.fromEntries(settings.map((field) => [field, project[field]]))
  return projects.update(
    { ...changed, name, description, shared_with, updated_at: now },
    { id, updated_at },
    changedByAnother('project'),
  )
}

/** Moves a project to another status. Fails with `guard` unless it has one of the statuses `from`. */
export const moveProject = (
  id: string,
  {
    from,
    to,
    now,
    error = null,
  }: { from: readonly ProjectStatus[]; to: ProjectStatus; now: string; error?: string | null },
  guard: string,
): Statement =>
  projects.update(
    {
      status: to,
      updated_at: now,
      error,
      ...(to === 'running' && { started_at: sql`coalesce(started_at, ${now})` }),
      completed_at: ['completed', 'failed', 'cancelled'].includes(to) ? now : null,
    },
    { id, status: from },
    guard,
  )

/**
 * Fails unless the project is running. With `now` it counts as a change, so that an end that was computed before it is not
 * stored.
 */
export const guardRunning = ({ id, updated_at }: Pick<Project, 'id' | 'updated_at'>, now?: string): Statement =>
  projects.update(
    { updated_at: now ?? updated_at },
    { id, status: 'running', ...(now === undefined && { updated_at }) },
    'The project has changed meanwhile; try again',
  )

export const noteError = (id: string, error: string | null, now: string): Statement =>
  projects.update({ error, updated_at: now }, { id })

export const setConversation = (id: string, conversation_id: string): Statement =>
  projects.update({ conversation_id }, { id, conversation_id: null })

export const deleteProject = (id: string): Statement => projects.delete({ id }, 'The project was already deleted')

export interface EndedProject {
  name: string
  status: ProjectStatus
  error: string | null
  audit: Audit | null
}

const ended = new Table<EndedProject, 'owner_id'>('projects', {
  json: ['audit'],
  select: 'name, status, error, audit',
})

/** The projects of an owner that ended last, the newest first. */
export const listEnded = (host: Sql, owner_id: string, max: number) =>
  ended.list(host, `completed_at DESC, id DESC LIMIT ${max}`, { owner_id, status: ['completed', 'failed'] })

const audits = new Table<{ id: string; audit: Audit | null }>('projects', {
  json: ['audit'],
  select: 'id, audit',
})

export const saveAudit = (id: string, audit: Audit): Statement => audits.update({ audit }, { id })

/** The latest audit; null if there is none. */
export const findAudit = async (host: Sql, id: string): Promise<Audit | null> =>
  (await audits.find(host, { id }))?.audit ?? null
