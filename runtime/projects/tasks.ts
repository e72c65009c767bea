import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, invalidField, notFound } from '../fault.ts'
import { findCycle } from '../graph.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { defined } from '../values.ts'
import { requeue } from './blocks.ts'
import { maxTasks } from './plan-draft.ts'
import { newTask } from './plan-rows.ts'
import { approvePhase, insertPhase, listPhases, type StoredPhase, shiftPhases } from './plan-store.ts'
import { phasesOf } from './progress.ts'
import { guardRunning, moveProject } from './project-store.ts'
import { advanceWork, requireProject, stopTasks, stopWork } from './projects.ts'
import type { NewPhase, NewTask, Phase, Project, Task, TaskChanges } from './schema.ts'
import { isUnstarted } from './states.ts'
import { findTask, insertTask, listTasks, publicTask, type StoredTask, updateTask } from './task-store.ts'

export async function requireTask(context: Context, { id }: Project, task_id: string): Promise<StoredTask> {
  const task = await findTask(context, task_id)
  if (task?.project_id !== id) throw notFound(`The task ${task_id}`)
  return task
}

export async function addTask(context: Context, id: string, input: NewTask): Promise<Task> {
  const project = await requireOpen(context, id)
  const tasks = await listTasks(context, id)
  if (tasks.length >= maxTasks) throw conflict(`A project has at most ${maxTasks} tasks`)
  const phases = await listPhases(context, id)
  const phase_id = input.phase_id ?? phases.at(-1)?.id
  if (input.phase_id !== undefined && !phases.some((phase) => phase.id === input.phase_id))
    throw invalidField('phase_id', 'is not a phase of this project')
  if (phase_id === undefined) throw conflict('The project has no phases yet; generate a plan or add a phase first')
  const now = context.clock.now()
  const task = { ...newTask(context, { ...input, id: newId('task', now), project_id: id }), phase_id }
  checkDependencies(task, tasks)
  await context.commit(
    [insertTask(task, tasks.length), ...advancing(context, project)],
    [event('task.created', { project_id: id, task_id: task.id })],
    { answer: publicTask(task) },
  )
  return publicTask(task)
}

/** Statements for a change of a running project: it must still run, and tasks that can start now are started. */
const advancing = (context: Context, project: Project) =>
  project.status === 'running'
    ? [guardRunning(project, iso(context.clock.now())), advanceWork(context, project.id)]
    : []

async function requireOpen(context: Context, id: string): Promise<Project> {
  const project = await requireProject(context, id)
  if (['pending', 'running', 'failed'].includes(project.status)) return project
  throw conflict(`The project is ${project.status}; its plan can no longer be changed`)
}

function checkDependencies(task: StoredTask, others: readonly StoredTask[]): void {
  const ids = new Set(others.map(({ id }) => id))
  const unknown = task.depends_on.find((id) => !ids.has(id))
  if (unknown !== undefined) throw invalidField('depends_on', `is not a task of this project: ${unknown}`)
  const all = [...others.filter(({ id }) => id !== task.id), task]
  const edges = all.flatMap(({ id, depends_on }) => depends_on.map((from) => ({ from, to: id })))
  const cycle = findCycle(
    all.map(({ id }) => id),
    edges,
  )
  if (cycle) throw invalidField('depends_on', `forms a cycle: ${[...cycle, cycle[0]].join(' → ')}`)
}

/** Changes a task that has not started, or one that has failed, before it is retried. */
export async function changeTask(
  context: Context,
  id: string,
  { task_id, changes }: { task_id: string; changes: TaskChanges },
): Promise<Task> {
  const project = await requireOpen(context, id)
  const task = await requireTask(context, project, task_id)
  if (!isUnstarted(task) && task.status !== 'failed')
    throw conflict(`The task is ${task.status}; only one that has not started or has failed can be changed`)
  const fields = defined(changes)
  const status = task.status === 'failed' ? 'failed' : 'pending'
  const next: StoredTask = { ...task, ...fields, status, updated_at: iso(context.clock.now()) }
  checkDependencies(next, await listTasks(context, id))
  await context.commit(
    [updateTask(next, task), ...advancing(context, project)],
    [event('task.updated', { project_id: id, task_id, status: next.status })],
  )
  return publicTask(next)
}

interface Again {
  /** A note of the owner for the agents. */
  note?: string | undefined
}

/** Retries all failed tasks with fresh attempts; a failed project resumes. */
export async function retryTasks(context: Context, id: string, again: Again): Promise<{ tasks: Task[] }> {
  const project = await requireRetriable(context, id)
  const failed = (await listTasks(context, id)).filter(({ status }) => status === 'failed')
  if (failed.length === 0) throw conflict('The project has no failed task')
  const changed = failed.map((task) => retried(task, again))
  return applyAndResume(context, project, { changed, answer: (tasks) => ({ tasks }) })
}

/** Like `retryTasks`, for one task. */
export async function retryTask(
  context: Context,
  id: string,
  { task_id, ...again }: Again & { task_id: string },
): Promise<Task> {
  const project = await requireProject(context, id)
  const task = await requireTask(context, project, task_id)
  if (task.status !== 'failed') throw conflict(`The task is ${task.status}; only a failed one can be retried`)
  await requireRetriable(context, id)
  return applyAndResume(context, project, { changed: [retried(task, again)], answer: first })
}

async function requireRetriable(context: Context, id: string): Promise<Project> {
  const project = await requireProject(context, id)
  if (project.status === 'running' || project.status === 'failed') return project
  throw conflict(`The project is ${project.status}; its tasks can no longer run`)
}

const retried = (task: StoredTask, { note }: Again) => ({
  task,
  next: { ...task, status: 'ready' as const, attempts: 0, note: note ?? task.note },
})

const first = ([task]: Task[]): Task => task as Task

/** Leaves a task out; tasks that depend on it start without its result. */
export async function skipTask(context: Context, id: string, task_id: string): Promise<Task> {
  const project = await requireProject(context, id)
  const task = await requireTask(context, project, task_id)
  if (['completed', 'skipped', 'cancelled'].includes(task.status)) throw conflict(`The task is ${task.status} already`)
  const stop = [stopWork(context, id, [task])]
  const changed = [{ task, next: { ...task, status: 'skipped' as const } }]
  const answer = await applyAndResume(context, project, { changed, stop, answer: first })
  await stopTasks(context, [task])
  return answer
}

interface Applied<Answer> {
  changed: readonly { task: StoredTask; next: StoredTask }[]
  stop?: readonly Statement[]
  answer(tasks: Task[]): Answer
}

/** Stores changed tasks; a failed project runs again. */
async function applyAndResume<Answer>(
  context: Context,
  project: Project,
  { changed, stop = [], answer: answerOf }: Applied<Answer>,
): Promise<Answer> {
  const now = iso(context.clock.now())
  const again = project.status === 'failed'
  const move = { from: ['failed'] as const, to: 'running' as const, now }
  const changes = changed.map(({ task, next }) => requeue(task, next, now))
  const answer = answerOf(changes.map((change) => publicTask(change.task)))
  await context.commit(
    [
      ...changes.flatMap(({ statements }) => statements),
      ...stop,
      ...(again ? [moveProject(project.id, move, 'The project has changed; try again')] : []),
      ...(again ? [advanceWork(context, project.id)] : advancing(context, project)),
    ],
    [
      ...changes.flatMap(({ events }) => events),
      ...(again ? [event('project.updated', { project_id: project.id })] : []),
    ],
    { answer },
  )
  return answer
}

/** Adds a phase, at the end or before the phase that has its position now. */
export async function addPhase(context: Context, id: string, input: NewPhase): Promise<Phase> {
  const project = await requireOpen(context, id)
  const phases = await listPhases(context, id)
  const tasks = await listTasks(context, id)
  const started = phasesOf(project, phases, tasks).filter(({ status }) => status !== 'pending').length
  // Not before a phase that has started.
  const order = Math.max(started, Math.min(input.order ?? phases.length, phases.length))
  const phase: StoredPhase = {
    id: newId('phase', context.clock.now()),
    project_id: id,
    order,
    name: input.name,
    goal: input.goal,
    approved_at: null,
    asked_at: null,
  }
  const shifted = phases.map((one) => (one.order >= order ? { ...one, order: one.order + 1 } : one))
  const all = [...shifted, phase].sort((left, right) => left.order - right.order)
  const answer = phasesOf(project, all, tasks).find((one) => one.id === phase.id)
  if (!answer) throw notFound('The phase')
  await context.commit(
    [shiftPhases(id, order), insertPhase(phase), ...advancing(context, project)],
    [event('phase.updated', { project_id: id, phase_id: phase.id })],
    { answer },
  )
  return answer
}

/** Lets the tasks of a phase begin. Of two people who approve at once, one gets a 409. */
export async function approveNextPhase(context: Context, id: string, phase_id: string): Promise<{ phases: Phase[] }> {
  const project = await requireProject(context, id)
  const tasks = await listTasks(context, id)
  const phases = await listPhases(context, id)
  const phase = phasesOf(project, phases, tasks).find((one) => one.id === phase_id)
  if (!phase) throw notFound(`The phase ${phase_id}`)
  if (phase.status !== 'waiting_approval')
    throw conflict(`The phase is ${phase.status}; it is not waiting for approval`)
  const now = iso(context.clock.now())
  const changed = phases.map((one) => (one.id === phase_id ? { ...one, approved_at: now } : one))
  const answer = { phases: phasesOf(project, changed, tasks) }
  await context.commit(
    [guardRunning(project, now), approvePhase(phase_id, now), advanceWork(context, id)],
    [event('phase.updated', { project_id: id, phase_id })],
    { answer },
  )
  return answer
}
