import type { Context } from '../context.ts'
import { findPlan } from './plan-store.ts'
import { planningJob, showPhases } from './projects.ts'
import { type Metrics, type Project, type Task, TaskStatus } from './schema.ts'
import { listTasks } from './task-store.ts'

/** Counts, cost and durations of a project; seconds, USD and tokens. */
export async function metricsOf(context: Context, project: Project): Promise<Metrics> {
  const tasks = await listTasks(context, project.id)
  const counts = Object.fromEntries(TaskStatus.options.map((status) => [status, 0])) as Metrics['tasks']
  for (const { status } of tasks) counts[status] += 1
  const sum = (pick: (task: Task) => number) => tasks.reduce((total, task) => total + pick(task), 0)
  const times = tasks.flatMap((task) => secondsOf(task) ?? [])
  const ended = project.completed_at ? Date.parse(project.completed_at) : context.clock.now()
  return {
    waiting_for: await waitingFor(context, project, tasks),
    tasks: counts,
    progress_pct:
      tasks.length === 0 ? 0 : Math.round(((counts.completed + counts.skipped) / tasks.length) * 100),
    attempts: sum(({ attempts }) => attempts),
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
    cost_usd: sum(({ cost_usd }) => cost_usd),
    estimate: (await findPlan(context, project.id))?.estimate ?? null,
    duration_seconds: project.started_at
      ? Math.max(0, (ended - Date.parse(project.started_at)) / 1000)
      : null,
    avg_task_seconds: times.length === 0 ? null : times.reduce((total, one) => total + one, 0) / times.length,
  }
}

async function waitingFor(
  context: Context,
  project: Project,
  tasks: readonly Task[],
): Promise<Metrics['waiting_for']> {
  if (project.status === 'running') {
    if (tasks.some(({ status }) => status === 'blocked')) return 'answer'
    const phases = await showPhases(context, project, tasks)
    return phases.some(({ status }) => status === 'waiting_approval') ? 'phase_approval' : null
  }
  const waits = project.status === 'pending' && (await findPlan(context, project.id)) !== null
  return waits && !(await planningJob(context, project.id)) ? 'plan_approval' : null
}

const secondsOf = ({ started_at, completed_at }: Task): number | null =>
  started_at && completed_at ? (Date.parse(completed_at) - Date.parse(started_at)) / 1000 : null
