import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const workflow = z.object({ workflow_id: z.string() })
const run = workflow.extend({
  execution_id: z.string(),
  name: z.string(),
  trigger: z.string(),
})

/** Payload of every event of this area, by type. */
export const workflowEvents = {
  'workflow.created': workflow.extend({ name: z.string() }),
  'workflow.updated': workflow,
  'workflow.deleted': workflow,
  'workflow.run.started': run,
  'workflow.run.waiting': run.extend({ kinds: z.array(z.string()) }),
  'workflow.run.finished': run.extend({ status: z.string() }),
  'workflow.run.failed': run.extend({
    status: z.string(),
    error: z.string(),
    node_id: z.string().nullable(),
  }),
}

/** Whether an event says that an execution waits or has ended. */
export const settles = (type: string): boolean => type.startsWith('workflow.run.') && type !== 'workflow.run.started'

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof workflowEvents> {}
}
