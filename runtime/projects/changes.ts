import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict } from '../fault.ts'
import { listMergedChanges } from '../tools/change-store.ts'
import { describeChanges, type KeptChange, undoChanges } from '../tools/file-changes.ts'
import { requireProject } from './projects.ts'
import type { Project } from './schema.ts'
import { isActive } from './states.ts'
import { requireTask } from './tasks.ts'

/** What the attempts of a task have changed in the project's folder. */
export async function showTaskChanges(context: Context, project: Project, task_id: string): Promise<KeptChange[]> {
  const { id } = await requireTask(context, project, task_id)
  return describeChanges(context, await listMergedChanges(context, { run_ref: id }))
}

/** Takes what a task has changed out of the project's folder again. What others have changed since stays. */
export async function undoTask(
  context: Context,
  id: string,
  task_id: string,
): Promise<{ changes: KeptChange[]; paths: string[] }> {
  const project = await requireProject(context, id)
  const task = await requireTask(context, project, task_id)
  if (isActive(task)) throw conflict(`The task is ${task.status}; wait until it has ended, or skip it`)
  const { paths, changes, statement } = await undoChanges(
    context,
    await listMergedChanges(context, { run_ref: task_id }),
  )
  const answer = { changes: await describeChanges(context, changes), paths }
  const updated = event('task.updated', { project_id: id, task_id, status: task.status })
  await context.commit([statement], [updated], { answer })
  return answer
}
