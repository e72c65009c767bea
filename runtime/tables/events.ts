import { z } from 'zod'
import { changeEvents } from '../collection.ts'
import type { EventsOf } from '../events/event.ts'
import { Action } from './history-store.ts'

/** Payloads of this area's events, by type. */
export const tableEvents = {
  ...changeEvents('table', 'table_id'),
  'table.rows.changed': z.object({
    table_id: z.string(),
    name: z.string(),
    action: Action,
    change_id: z.string(),
  }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof tableEvents> {}
}
