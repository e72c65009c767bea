import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { hasWork } from '../work/select.ts'
import type { Task } from './schema.ts'

type Sql = Pick<Host, 'sql'>

/** A task with the fields that only the runtime needs. */
export interface StoredTask extends Task {
  /** The answer that its current attempt fills. */
  message_id: string | null
  /** Decisions that the agent made itself. */
  decisions: number
}

type Content = Pick<Task, 'title' | 'description' | 'priority' | 'depends_on' | 'agent_id' | 'acceptance'>

interface Row extends Omit<StoredTask, keyof Content | 'outputs' | 'block'> {
  content: string
  outputs: string
  block: string | null
  position: number
}

const toTask = ({ content, outputs, block, position: _, ...row }: Row): StoredTask => ({
  ...row,
  ...(JSON.parse(content) as Content),
  outputs: JSON.parse(outputs) as Task['outputs'],
  block: block === null ? null : (JSON.parse(block) as Task['block']),
})

export const publicTask = ({ message_id: _, decisions: __, ...task }: StoredTask): Task => task

const contentOf = ({ title, description, priority, depends_on, agent_id, acceptance }: Content): string =>
  JSON.stringify({ title, description, priority, depends_on, agent_id, acceptance })

/** A running task whose turn waits for a person's approval is shown as such. */
const asking = hasWork({ lane: { column: 'project_tasks.conversation_id' }, status: 'waiting' })
const columns = `id, project_id, phase_id, position, content,
  iif(status = 'running' AND ${asking.sql}, 'waiting_approval', status) AS status,
  attempts, max_attempts, outputs, block, decisions, input_tokens, output_tokens, cost_usd, error,
  conversation_id, message_id, created_at, updated_at, started_at, completed_at`

/** The tasks of a project in the order of its plan. */
export async function listTasks({ sql }: Sql, project: string): Promise<StoredTask[]> {
  const rows = await sql.read<Row>(
    `SELECT ${columns} FROM project_tasks WHERE project_id = ? ORDER BY position, id`,
    [...asking.args, project],
  )
  return rows.map(toTask)
}

/** What decides which tasks can start. */
export type TaskState = Pick<
  StoredTask,
  'id' | 'phase_id' | 'status' | 'priority' | 'depends_on' | 'title' | 'error'
>

/** The same tasks without their texts and outputs, which can be large. */
export async function listTaskStates({ sql }: Sql, project: string): Promise<TaskState[]> {
  const rows = await sql.read<Omit<TaskState, 'depends_on'> & { depends_on: string }>(
    `SELECT id, phase_id, status, error, content ->> 'title' AS title, content ->> 'priority' AS priority,
      content -> 'depends_on' AS depends_on FROM project_tasks WHERE project_id = ? ORDER BY position, id`,
    [project],
  )
  return rows.map((row) => ({ ...row, depends_on: JSON.parse(row.depends_on) as string[] }))
}

/** The tasks of these ids that exist, in the order of the plan. */
export async function findTasks({ sql }: Sql, ids: readonly string[]): Promise<StoredTask[]> {
  const rows = await sql.read<Row>(
    `SELECT ${columns} FROM project_tasks WHERE id IN (SELECT value FROM json_each(?)) ORDER BY position, id`,
    [...asking.args, JSON.stringify(ids)],
  )
  return rows.map(toTask)
}

export async function findTask({ sql }: Sql, id: string): Promise<StoredTask | null> {
  const [row] = await sql.read<Row>(`SELECT ${columns} FROM project_tasks WHERE id = ?`, [...asking.args, id])
  return row ? toTask(row) : null
}

/** The tasks of these projects by status, with their cost. */
export const countTasks = ({ sql }: Sql, projects: readonly string[]) =>
  sql.read<{ project_id: string; status: Task['status']; count: number; cost_usd: number }>(
    `SELECT project_id, status, count(*) AS count, sum(cost_usd) AS cost_usd FROM project_tasks
      WHERE project_id IN (SELECT value FROM json_each(?)) GROUP BY project_id, status`,
    [JSON.stringify(projects)],
  )

/** Tasks that ended in a window (ISO 8601), by outcome. */
export async function countEndedTasks(
  context: Pick<Context, 'sql' | 'caller'>,
  { from, to }: { from: string; to: string },
): Promise<{ completed: number; failed: number }> {
  const own = owned(context)
  const [row] = await context.sql.read<{ completed: number; failed: number }>(
    `SELECT count(*) FILTER (WHERE status = 'completed') AS completed, count(*) FILTER (WHERE status = 'failed') AS failed
      FROM project_tasks WHERE completed_at >= ? AND completed_at < ?
        AND project_id IN (SELECT id FROM projects WHERE ${own.sql})`,
    [from, to, ...own.args],
  )
  return row ?? { completed: 0, failed: 0 }
}

export const insertTask = (task: StoredTask, position: number): Statement => ({
  sql: `INSERT INTO project_tasks (id, project_id, phase_id, position, content, status, attempts, max_attempts, outputs, block,
      decisions, input_tokens, output_tokens, cost_usd, error, conversation_id, message_id, created_at, updated_at, started_at, completed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    ...[task.id, task.project_id, task.phase_id, position, contentOf(task), task.status],
    ...[task.attempts, task.max_attempts, JSON.stringify(task.outputs), blockOf(task), task.decisions],
    ...[task.input_tokens, task.output_tokens, task.cost_usd, task.error],
    ...[task.conversation_id, task.message_id, task.created_at, task.updated_at],
    ...[task.started_at, task.completed_at],
  ],
})

const blockOf = ({ block }: Pick<Task, 'block'>) => (block === null ? null : JSON.stringify(block))

/** Stores the whole task. The guard refuses it unless the stored task still has the status and answer of `old`. */
export const updateTask = (task: StoredTask, old: StoredTask): Statement => ({
  sql: `UPDATE project_tasks SET content = ?, status = ?, attempts = ?, outputs = ?, block = ?, decisions = ?,
      input_tokens = ?, output_tokens = ?, cost_usd = ?, error = ?, conversation_id = ?, message_id = ?,
      updated_at = ?, started_at = ?, completed_at = ?
    WHERE id = ? AND status = ? AND message_id IS ?`,
  args: [
    ...[contentOf(task), stored(task.status), task.attempts, JSON.stringify(task.outputs), blockOf(task)],
    ...[task.decisions, task.input_tokens, task.output_tokens, task.cost_usd, task.error],
    ...[task.conversation_id, task.message_id, task.updated_at, task.started_at, task.completed_at],
    ...[task.id, stored(old.status), old.message_id],
  ],
  guard: 'The task was changed by another request; try again',
})

/** Waiting for an approval is derived from the turn. */
const stored = (status: Task['status']) => (status === 'waiting_approval' ? 'running' : status)

export const markTasksReady = (ids: readonly string[], now: string): Statement => ({
  sql: `UPDATE project_tasks SET status = 'ready', updated_at = ?
    WHERE id IN (SELECT value FROM json_each(?)) AND status = 'pending'`,
  args: [now, JSON.stringify(ids)],
})

/** Ends what has not ended. */
export const cancelTasks = (project: string, now: string): Statement => ({
  sql: `UPDATE project_tasks SET status = 'cancelled', updated_at = ?, completed_at = ?
    WHERE project_id = ? AND status NOT IN ('completed', 'failed', 'skipped', 'cancelled')`,
  args: [now, now, project],
})

export const deleteTasks = (project: string): Statement => ({
  sql: 'DELETE FROM project_tasks WHERE project_id = ?',
  args: [project],
})
