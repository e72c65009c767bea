import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

export const filesEvents = {
  'file.uploaded': z.object({
    file_id: z.string(),
    name: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
  }),
  'file.deleted': z.object({ file_id: z.string() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof filesEvents> {}
}
