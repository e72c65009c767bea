import { owned } from '../auth/owner.ts'
import { changedByAnother } from '../fault.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { changedFields, type Reader, type Sql, Table } from '../table.ts'
import { hasWork, waitOf } from '../work/select.ts'
import { taskEndKind } from './kinds.ts'
import type { Task } from './schema.ts'

/** A task with the fields that only the runtime needs. */
export interface StoredTask extends Task {
  /** The answer that its current attempt fills. */
  message_id: string | null
}

export const publicTask = ({ message_id: _, ...task }: StoredTask): Task => task

/** A running task whose turn waits for a person's approval is shown as such. */
const asking = hasWork({ lane: { column: 'project_tasks.conversation_id' }, status: 'waiting' })
/** A vendor's limit or outage, for which the turn or its review waits. */
const waits = [
  waitOf({ lane: { column: 'project_tasks.conversation_id' } }),
  waitOf({ kind: taskEndKind, subject: { column: 'project_tasks.id' } }),
]
const columns = `id, project_id, phase_id, position, content,
  iif(status = 'running' AND ${asking.sql}, 'waiting_approval', status) AS status,
  iif(status = 'running', coalesce(${waits.map(({ sql }) => sql).join(', ')}), NULL) AS waiting,
  attempts, max_attempts, outputs, block, input_tokens, output_tokens, cost_usd, error,
  conversation_id, message_id, created_at, updated_at, started_at, completed_at`

const tasks = new Table<StoredTask, 'position'>('project_tasks', {
  json: ['outputs', 'block', 'waiting'],
  packed: {
    column: 'content',
    fields: ['title', 'description', 'priority', 'depends_on', 'agent_id', 'acceptance', 'files', 'note'],
  },
  hidden: ['position'],
  select: { sql: columns, args: [...asking.args, ...waits.flatMap(({ args }) => args)] },
})

/** The tasks of a project in the order of its plan. */
export const listTasks = (host: Sql, project_id: string) => tasks.list(host, 'position, id', { project_id })

/** What decides which tasks can start. */
export type TaskState = Pick<
  StoredTask,
  'id' | 'phase_id' | 'status' | 'priority' | 'depends_on' | 'title' | 'files' | 'error'
>

const taskStates = new Table<TaskState, 'project_id'>('project_tasks', {
  json: ['depends_on', 'files'],
  select: `id, phase_id, status, error, content ->> 'title' AS title, content ->> 'priority' AS priority,
    content -> 'depends_on' AS depends_on, content -> 'files' AS files`,
})

/** Like `listTasks`, without texts and outputs, which can be large. */
export const listTaskStates = (host: Sql, project_id: string) => taskStates.list(host, 'position, id', { project_id })

/** The tasks of these ids that exist, in the order of the plan. */
export const findTasks = (host: Sql, ids: readonly string[]) => tasks.list(host, 'position, id', { id: ids })

export const findTask = (host: Sql, id: string) => tasks.find(host, { id })

/** The tasks of these projects by status, with their cost. */
export const countTasks = ({ sql }: Sql, projects: readonly string[]) =>
  sql.read<{ project_id: string; status: Task['status']; count: number; cost_usd: number }>(
    `SELECT project_id, status, count(*) AS count, sum(cost_usd) AS cost_usd FROM project_tasks
      WHERE project_id IN (SELECT value FROM json_each(?)) GROUP BY project_id, status`,
    [JSON.stringify(projects)],
  )

/** Tasks that ended in a window (ISO 8601), by outcome. */
export async function countEndedTasks(
  context: Reader,
  { from, to }: { from: string; to: string },
): Promise<{ completed: number; failed: number }> {
  const { completed = 0, failed = 0 } = await tasks.countBy(
    context,
    'status',
    sql`completed_at >= ${from} AND completed_at < ${to} AND project_id IN (
      SELECT id FROM projects WHERE ${owned(context)})`,
  )
  return { completed, failed }
}

export const insertTask = ({ waiting: _, ...task }: StoredTask, position: number): Statement =>
  tasks.insert({ ...task, position })

/**
 * Stores what differs from `old`, so that a change of other fields at the same time is kept. The guard refuses it unless the
 * stored task still has the status and answer of `old`.
 */
export const updateTask = (task: StoredTask, old: StoredTask): Statement => {
  const { id, project_id: _, phase_id: _1, max_attempts: _2, created_at: _3, waiting: _4, ...fields } = task
  return tasks.update(
    { ...changedFields(fields, old), status: stored(task.status) },
    { id, status: stored(old.status), message_id: old.message_id },
    changedByAnother('task'),
  )
}

/** Waiting for an approval is derived from the turn. */
const stored = (status: Task['status']) => (status === 'waiting_approval' ? 'running' : status)

export const markTasksReady = (id: readonly string[], updated_at: string): Statement =>
  tasks.update({ status: 'ready', updated_at }, { id, status: 'pending' })

/** Ends what has not ended. */
export const cancelTasks = (project_id: string, now: string): Statement =>
  tasks.update({ status: 'cancelled', updated_at: now, completed_at: now }, [
    { project_id },
    `status NOT IN ('completed', 'failed', 'skipped', 'cancelled')`,
  ])

export const deleteTasks = (project_id: string): Statement => tasks.delete({ project_id })
