import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

/** Payload schemas of the area's events, by type. */
export const authEvents = {
  'setup.completed': z.object({ user_id: z.string(), key_id: z.string() }),
  'key.created': z.object({ id: z.string() }),
  'key.rotated': z.object({ id: z.string() }),
  'key.revoked': z.object({ id: z.string() }),
  'session.ended': z.object({ id: z.string() }),
  'invitation.created': z.object({ invitation_id: z.string(), name: z.string() }),
  'invitation.deleted': z.object({ invitation_id: z.string() }),
  'user.created': z.object({ id: z.string() }),
  'user.updated': z.object({ id: z.string() }),
  'user.deleted': z.object({ id: z.string() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof authEvents> {}
}
