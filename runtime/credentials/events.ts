import { changeEvents } from '../collection.ts'
import type { EventsOf } from '../events/event.ts'

/** Payloads of this area's events, by type. */
export const credentialEvents = changeEvents('credential', 'credential_id')

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof credentialEvents> {}
}
