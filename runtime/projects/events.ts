import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const project = z.object({ project_id: z.string() })
const task = project.extend({ task_id: z.string() })

/** Payloads of the events that the stream of a project sends. */
export const streamedProjectEvents = {
  'project.updated': project,
  'plan.updated': project.extend({ plan_id: z.string().nullable(), version: z.int().nullable() }),
  'phase.updated': project.extend({ phase_id: z.string() }),
  'task.created': task,
  'task.updated': task.extend({ status: z.string() }),
  'task.output': task.extend({ outputs: z.int() }),
  'task.log': task.extend({ message: z.string() }),
  /** A plan or a phase waits for its owner. */
  'approval.required': project.extend({ phase_id: z.string().nullable() }),
}

export const projectEvents = {
  ...streamedProjectEvents,
  'project.created': project.extend({ name: z.string() }),
  'project.deleted': project,
  'project.completed': project.extend({ name: z.string() }),
  'project.failed': project.extend({ name: z.string(), error: z.string() }),
  'task.completed': task.extend({ title: z.string() }),
  'task.failed': task.extend({ title: z.string(), error: z.string() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof projectEvents> {}
}
