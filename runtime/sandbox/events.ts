import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const container = z.object({ container_id: z.string() })

export const sandboxEvents = {
  'container.created': container.extend({ name: z.string() }),
  'container.updated': container,
  'container.deleted': container,
  'container.command.finished': container.extend({ exec_id: z.string(), exit_code: z.number().nullable() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof sandboxEvents> {}
}
