import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import { wonRace } from '../lost-race.ts'
import { iso } from '../time.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import { insertWork } from '../work/store.ts'
import { advanceKind, auditKind } from './kinds.ts'
import { listPhases, notePhaseAsked } from './plan-store.ts'
import { type Progress, phasesOf, progressOf } from './progress.ts'
import { findProject, guardRunning, moveProject, noteError } from './project-store.ts'
import { advanceWork, reportEnd, requireFolder } from './projects.ts'
import type { Project } from './schema.ts'
import { type Change, startTask, taskEvents } from './start-task.ts'
import { isActive } from './states.ts'
import { rulesOf, type StrategyRules } from './strategy.ts'
import { findTasks, listTaskStates, markTasksReady, type StoredTask, type TaskState, updateTask } from './task-store.ts'

/**
 * Starts the tasks that can start and ends the project when nothing is left. The units of one project run one after
 * the other, and each looks at everything, so that it does not matter how often or after which crash one runs.
 */
export const projectAdvance: WorkKind = {
  kind: advanceKind,
  max_running: 8,
  after_crash: 'retry',
  // The project waits for it, however long the disk is full.
  retry: { max_attempts: Number.POSITIVE_INFINITY, delay_seconds: () => 1 },
  async run(work, context) {
    const project = await findProject(context, work.subject)
    if (project?.status !== 'running') return { status: 'succeeded' }
    const tasks = await listTaskStates(context, project.id)
    const rules = await rulesOf(context, project.strategy)
    const stored = await listPhases(context, project.id)
    const progress = progressOf(phasesOf(project, stored, tasks), tasks, rules.width)
    const isAsked = stored.some(({ id, asked_at }) => id === progress.gate && asked_at !== null)
    const missing = progress.start.length > 0 ? await missingFolder(context, project) : null
    if (missing !== null) return waitForFolder(context, project, missing)
    const changes = [
      ...markReady(context, project.id, progress),
      ...(await starts(context, project, { progress, states: tasks })),
    ]
    // The folder is back.
    if (progress.start.length > 0 && project.error !== null)
      changes.push({ statements: [noteError(project.id, null, project.updated_at)], events: [] })
    if (progress.end) changes.push(ending(context, project, { end: progress.end, rules }))
    else if (progress.gate && progress.start.length === 0 && !tasks.some(isActive) && !isAsked)
      changes.push({
        statements: [notePhaseAsked(progress.gate, iso(context.clock.now()))],
        events: [event('approval.required', { project_id: project.id, phase_id: progress.gate })],
      })
    if (changes.length === 0) return { status: 'succeeded' }
    const advanced = context.commit(
      [guardRunning(project), ...changes.flatMap(({ statements }) => statements)],
      changes.flatMap(({ events }) => events),
    )
    // If the project or a task was changed meanwhile: look again.
    const again = (await wonRace(advanced)) ? [] : [advanceWork(context, project.id)]
    return { status: 'succeeded', statements: again }
  },
}

/** Why the project's folder of the machine cannot be used now; null if it can. */
async function missingFolder(context: Context, project: Project): Promise<string | null> {
  try {
    await requireFolder(context, project)
    return null
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message
    throw thrown
  }
}

/** Milliseconds between two looks for a folder. */
const folderDelay = 5_000

/** Starts nothing until the folder is there again; the project shows why. */
function waitForFolder(context: Context, { id, error }: Project, missing: string): WorkOutcome {
  const again = { kind: advanceKind, subject: id, lane: id, due: context.clock.now() + folderDelay }
  const isNoted = error === missing
  return {
    status: 'succeeded',
    statements: [
      insertWork(context, again).statement,
      ...(isNoted ? [] : [noteError(id, missing, iso(context.clock.now()))]),
    ],
    events: isNoted ? [] : [event('project.updated', { project_id: id })],
  }
}

/** Shows which tasks wait only for a free place. */
function markReady(context: Context, project_id: string, { ready, start }: Progress<TaskState>): Change[] {
  const ids = ready.filter((task) => task.status === 'pending' && !start.includes(task)).map(({ id }) => id)
  if (ids.length === 0) return []
  const events = ids.map((task_id) => event('task.updated', { project_id, task_id, status: 'ready' }))
  return [{ statements: [markTasksReady(ids, iso(context.clock.now()))], events }]
}

async function starts(
  context: Context,
  project: Project,
  { progress: { start }, states }: { progress: Progress<TaskState>; states: readonly TaskState[] },
): Promise<Change[]> {
  if (start.length === 0) return []
  const tasks = await findTasks(
    context,
    start.flatMap(({ id, depends_on }) => [id, ...depends_on]),
  )
  const changes: Change[] = []
  for (const { id } of start) {
    const task = tasks.find((one) => one.id === id)
    if (!task) continue
    try {
      changes.push(await startTask(context, project, { task, tasks, states }))
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      changes.push(refused(context, task, thrown.message))
    }
  }
  return changes
}

/** A task that cannot start, such as one whose agent was deleted. */
function refused(context: Context, task: StoredTask, error: string): Change {
  const now = iso(context.clock.now())
  const failed: StoredTask = { ...task, status: 'failed', error, updated_at: now, completed_at: now }
  const { id: task_id, project_id, title } = task
  return {
    statements: [updateTask(failed, task), advanceWork(context, project_id)],
    events: [...taskEvents(failed, error), event('task.failed', { project_id, task_id, title, error })],
  }
}

function ending(
  context: Context,
  project: Project,
  { end, rules }: { end: NonNullable<Progress<TaskState>['end']>; rules: StrategyRules },
): Change {
  const error = end.status === 'failed' ? end.error : null
  const { id: project_id, name } = project
  const move = { from: ['running'] as const, to: end.status, now: iso(context.clock.now()), error }
  const audits = end.status === 'completed' && rules.audits_result
  return {
    statements: [
      moveProject(project_id, move, 'The project is not running any more'),
      ...reportEnd(context, project),
      ...(audits ? [insertWork(context, { kind: auditKind, subject: project_id }).statement] : []),
    ],
    events: [
      event('project.updated', { project_id }),
      error === null
        ? event('project.completed', { project_id, name })
        : event('project.failed', { project_id, name, error }),
    ],
  }
}
