import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { insertPhase, insertPlan, listPhases } from './plan-store.ts'
import { type Plan, Plan as PlanSchema, type Project } from './schema.ts'
import { insertTask, listTasks, type StoredTask } from './task-store.ts'

/** The plan with its phases and tasks as they are now, with what the owner has added and changed. */
export async function currentPlan(context: Context, plan: Plan): Promise<Plan> {
  const tasks = await listTasks(context, plan.project_id)
  const phases = (await listPhases(context, plan.project_id)).map(({ id, name, goal }, order) => ({
    id,
    order,
    name,
    goal,
    tasks: tasks.filter(({ phase_id }) => phase_id === id).map(plannedTask),
  }))
  return { ...plan, phases }
}

const plannedTask = (task: StoredTask): Planned => Planned.parse(task)

/** The statements of a plan with new ids. */
export function copyPlan(context: Context, plan: Plan, { id: project_id }: Project): Statement[] {
  const now = context.clock.now()
  const ids = new Map(plan.phases.flatMap(({ tasks }) => tasks).map(({ id }) => [id, newId('task', now)]))
  const idOf = (old: string) => ids.get(old) ?? old
  const phases = plan.phases.map((phase) => ({
    ...phase,
    id: newId('phase', now),
    tasks: phase.tasks.map((task) => ({
      ...task,
      id: idOf(task.id),
      depends_on: task.depends_on.map(idOf),
    })),
  }))
  const copy: Plan = {
    ...plan,
    id: newId('plan', now),
    project_id,
    version: 1,
    status: 'pending_approval',
    phases,
    created_at: iso(now),
    approved_at: null,
  }
  return planStatements(context, copy)
}

/** A plan's own row, and its phases and tasks as the current ones; `kept` are tasks that already ended. */
export function planStatements(
  context: Context,
  plan: Plan,
  kept: ReadonlyMap<string, StoredTask> = new Map(),
): Statement[] {
  const { project_id } = plan
  let position = 0
  return [
    insertPlan(plan),
    ...plan.phases.flatMap(({ id, order, name, goal, tasks }) => [
      insertPhase({ id, project_id, order, name, goal, approved_at: null }),
      ...tasks.map((task) =>
        insertTask(
          {
            ...(kept.get(task.id) ?? newTask(context, { ...task, project_id })),
            phase_id: id,
            depends_on: task.depends_on,
          },
          position++,
        ),
      ),
    ]),
  ]
}

const Planned = PlanSchema.shape.phases.element.shape.tasks.element
type Planned = Plan['phases'][number]['tasks'][number]

/** A task that has not started. */
export function newTask(context: Context, planned: Planned & { project_id: string }): StoredTask {
  const now = iso(context.clock.now())
  return {
    ...planned,
    phase_id: '',
    status: 'pending',
    note: null,
    attempts: 0,
    max_attempts: 3,
    outputs: [],
    block: null,
    waiting: null,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
    error: null,
    conversation_id: null,
    message_id: null,
    created_at: now,
    updated_at: now,
    started_at: null,
    completed_at: null,
  }
}
