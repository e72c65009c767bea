import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { showTaskChanges, undoTask } from '../../runtime/projects/changes.ts'
import { requireShownProject } from '../../runtime/projects/projects.ts'
import { KeptChange } from '../../runtime/tools/file-changes.ts'

export const changes = endpoint('GET /api/projects/{id}/tasks/{task_id}/changes', {
  summary: 'List what a task has changed in files',
  returns: z.object({ changes: z.array(KeptChange), count: z.int() }),
  async run({ params }, context) {
    const project = await requireShownProject(context, params.id)
    const changes = await showTaskChanges(context, project, params.task_id)
    return { changes, count: changes.length }
  },
})

export const undo = endpoint('POST /api/projects/{id}/tasks/{task_id}/undo', {
  summary: 'Undo what a task has changed in files; what others have changed since stays',
  returns: z.object({ changes: z.array(KeptChange), paths: z.array(z.string()) }),
  run: ({ params }, context) => undoTask(context, params.id, params.task_id),
})
