import type { Context } from '../context.ts'
import type { Waiting } from '../inbox.ts'
import { sumOf } from '../numbers.ts'
import type { RunSummary, RunsFilter } from '../run-summary.ts'
import { listWork } from '../work/select.ts'
import { planKind } from './kinds.ts'
import { findPlan, listPhases, withOpenPlan } from './plan-store.ts'
import { phasesOf } from './progress.ts'
import { failedProjects, openProjects } from './project-store.ts'
import { planningJob, showPhases } from './projects.ts'
import { type ListedProject, type Metrics, type Project, type Task, TaskStatus } from './schema.ts'
import { isDone } from './states.ts'
import { countTasks, listTaskStates, listTasks } from './task-store.ts'

/** Counts, cost and durations of a project; seconds, USD and tokens. */
export async function metricsOf(context: Context, project: Project): Promise<Metrics> {
  const tasks = await listTasks(context, project.id)
  const counts = Object.fromEntries(TaskStatus.options.map((status) => [status, 0])) as Metrics['tasks']
  for (const { status } of tasks) counts[status] += 1
  const sum = (pick: (task: Task) => number) => sumOf(tasks, pick)
  const times = tasks.flatMap((task) => secondsOf(task) ?? [])
  const ended = project.completed_at ? Date.parse(project.completed_at) : context.clock.now()
  return {
    waiting_for: await waitingFor(context, project, tasks),
    tasks: counts,
    progress_pct: tasks.length === 0 ? 0 : Math.round(((counts.completed + counts.skipped) / tasks.length) * 100),
    attempts: sum(({ attempts }) => attempts),
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
    cost_usd: sum(({ cost_usd }) => cost_usd),
    estimate: (await findPlan(context, project.id))?.estimate ?? null,
    duration_seconds: project.started_at ? Math.max(0, (ended - Date.parse(project.started_at)) / 1000) : null,
    avg_task_seconds: times.length === 0 ? null : sumOf(times) / times.length,
  }
}

async function waitingFor(context: Context, project: Project, tasks: readonly Task[]): Promise<Metrics['waiting_for']> {
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

/** Projects with how far they are, for a list. */
export async function withProgress(context: Context, projects: readonly Project[]): Promise<ListedProject[]> {
  const ids = projects.map(({ id }) => id)
  const counts = Map.groupBy(await countTasks(context, ids), ({ project_id }) => project_id)
  const planned = await withOpenPlan(context, ids)
  const planning = new Set((await listWork(context, { kind: planKind })).map(({ subject }) => subject))
  const listed = projects.map(async (project) => {
    const { id, status, auto_approve_phases } = project
    const own = counts.get(id) ?? []
    const sum = (rows: typeof own) => sumOf(rows, ({ count }) => count)
    const isAsking = own.some((row) => row.status === 'blocked')
    const waiting_for =
      status === 'pending' && planned.has(id) && !planning.has(id)
        ? ('plan_approval' as const)
        : status === 'running' && isAsking
          ? ('answer' as const)
          : status === 'running' && !auto_approve_phases
            ? await phaseApproval(context, project)
            : null
    const cost_usd = sumOf(own, (row) => row.cost_usd)
    return { ...project, progress: { waiting_for, done: sum(own.filter(isDone)), total: sum(own), cost_usd } }
  })
  return Promise.all(listed)
}

async function phaseApproval(context: Context, project: Project): Promise<'phase_approval' | null> {
  const phases = phasesOf(project, await listPhases(context, project.id), await listTaskStates(context, project.id))
  return phases.some(({ status }) => status === 'waiting_approval') ? 'phase_approval' : null
}

const waits = {
  plan_approval: { kind: 'plan', detail: 'Plan ready to approve' },
  phase_approval: { kind: 'phase', detail: 'Phase ready to approve' },
  answer: { kind: 'question', detail: 'A task has a question' },
} as const

/** Projects that run or have failed as all areas list their runs. Those that ended are no history of runs. */
export async function summarizeRuns(context: Context, { state, since }: RunsFilter): Promise<RunSummary[]> {
  if (state === 'all') return []
  const listed = state === 'open' ? await openProjects(context) : await failedProjects(context, since)
  const shown = await withProgress(
    context,
    listed.filter(({ status }) => status !== 'pending'),
  )
  return shown.map(({ id, name, status, error, progress: { done, total }, updated_at }) => ({
    kind: 'project',
    id,
    run_id: id,
    name,
    status,
    detail: error ?? `${done} of ${total} ${total === 1 ? 'task' : 'tasks'}`,
    at: updated_at,
    href: `/projects/${id}`,
  }))
}

/** The caller's projects that cannot continue without them. */
export async function waitingProjects(context: Context): Promise<Waiting[]> {
  const listed = await withProgress(context, await openProjects(context))
  return listed.flatMap(({ id, name, progress: { waiting_for }, updated_at }) =>
    waiting_for === null
      ? []
      : [{ ...waits[waiting_for], id, title: name, asked_at: updated_at, href: `/projects/${id}` }],
  )
}
