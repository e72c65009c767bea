import { z } from 'zod'
import { stopTurns } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import { iso } from '../time.ts'
import { unmountFolder } from '../tools/store.ts'
import { projectRoot, worktreeRoot } from '../tools/workspace.ts'
import { cancelWork } from '../work/cancel.ts'
import type { WorkKind } from '../work/kind.ts'
import { listWork } from '../work/select.ts'
import { removeFiles } from './files.ts'
import { planKind, stopKind } from './kinds.ts'
import { projectPlan } from './planning.ts'
import { deleteProject, findProject, moveProject } from './project-store.ts'
import { reportEnd, requireProject, stopTasks, stopWork } from './projects.ts'
import type { Project } from './schema.ts'
import { isEnded } from './states.ts'
import { cancelTasks, listTasks } from './task-store.ts'

/** Cancels a project: its running tasks are stopped, finished ones stay. */
export async function cancelProject(context: Context, id: string): Promise<Project> {
  const project = await requireProject(context, id)
  const now = iso(context.clock.now())
  const move = { from: ['pending', 'running'] as const, to: 'cancelled' as const, now }
  const open = (await listTasks(context, id)).filter((task) => !isEnded(task))
  await context.commit(
    [
      moveProject(id, move, `The project is ${project.status}; only a pending or running one can be cancelled`),
      cancelTasks(id, now),
      stopWork(context, id, open),
      ...reportEnd(context, project),
    ],
    [
      event('project.updated', { project_id: id }),
      ...open.map((task) => event('task.updated', { project_id: id, task_id: task.id, status: 'cancelled' })),
    ],
  )
  await stopPlanning(context, id)
  // Read after the commit, so that a task that started just before it is stopped too.
  await stopTasks(context, await listTasks(context, id))
  return await requireProject(context, id)
}

async function stopPlanning(context: Context, id: string): Promise<void> {
  for (const work of await listWork(context, { kind: planKind, subject: id }))
    await cancelWork(context, projectPlan, work, 'The project was cancelled')
}

const Stopping = z.object({ conversations: z.array(z.string()) })

/** Stops again what a cancel or delete may have left, after a crash or a start at the same moment. */
export const projectStop: WorkKind = {
  kind: stopKind,
  max_running: 4,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: () => 1 },
  async run({ subject, payload }, context) {
    const project = await findProject(context, subject)
    const isOver = !project || project.status === 'cancelled'
    if (isOver) await stopPlanning(context, subject)
    const tasks = isOver ? await listTasks(context, subject) : []
    const cancelled = tasks.filter(({ status }) => status === 'cancelled')
    for (const conversation of Stopping.parse(payload).conversations) await stopTurns(context, conversation)
    await stopTasks(context, cancelled)
    return { status: 'succeeded' }
  },
}

/** Deletes a project with its tasks; its files are removed, its conversations stay. */
export async function removeProject(context: Context, id: string): Promise<void> {
  await remove(context, [await requireProject(context, id)])
}

/** Deletes the projects with these ids, and reports those that cannot be deleted. */
export async function removeProjects(
  context: Context,
  ids: readonly string[],
): Promise<{ deleted: string[]; failed: { id: string; message: string }[] }> {
  const projects: Project[] = []
  const failed: { id: string; message: string }[] = []
  for (const id of new Set(ids)) {
    try {
      projects.push(await requireProject(context, id))
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      failed.push({ id, message: thrown.message })
    }
  }
  const answer = { deleted: projects.map(({ id }) => id), failed }
  await remove(context, projects, answer)
  return answer
}

async function remove(context: Context, projects: readonly Project[], answer?: unknown): Promise<void> {
  const tasks = await Promise.all(projects.map(({ id }) => listTasks(context, id)))
  await context.commit(
    projects.flatMap((project, index) => [
      deleteProject(project.id),
      unmountFolder(projectRoot(project.id, project.owner_id)),
      ...reportEnd(context, project),
      stopWork(context, project.id, tasks[index] ?? []),
    ]),
    projects.map(({ id }) => event('project.deleted', { project_id: id })),
    { answer },
  )
  await stopTasks(context, tasks.flat())
  for (const { id } of tasks.flat()) await context.files.removeRoot(worktreeRoot(id))
  for (const project of projects) {
    await stopPlanning(context, project.id)
    await removeFiles(context, project)
    await context.repositories.remove(project.id)
  }
}
