import { z } from 'zod'
import type { Context } from '../context.ts'
import { streamOf } from '../events/stream.ts'
import type { EventSource } from '../http/sse.ts'
import { projectEvents, streamedProjectEvents } from './events.ts'
import { requireShownProject, showProject } from './projects.ts'
import { ProjectDetails } from './schema.ts'

export const streamEvents = {
  snapshot: ProjectDetails,
  ...streamedProjectEvents,
  done: z.object({ project_id: z.string(), status: z.string() }),
}

const Named = z.object({ project_id: z.string() })

/** The events of a project; `done` ends the stream when the project has ended. */
export const followProject = (context: Context, id: string, since: number | undefined): EventSource =>
  streamOf(
    context,
    {
      types: projectEvents,
      sends: Object.keys(streamedProjectEvents),
      isAbout: (data) => Named.safeParse(data).data?.project_id === id,
      snapshot: async () => showProject(context, await requireShownProject(context, id)),
      async end() {
        const { status } = await requireShownProject(context, id)
        if (!['completed', 'failed', 'cancelled'].includes(status)) return null
        return { event: 'done', data: { project_id: id, status } }
      },
      may_end: ['project.completed', 'project.failed', 'project.updated'],
      deleted: { type: 'project.deleted', done: { project_id: id, status: 'deleted' } },
    },
    since,
  )
