import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const channel = z.object({ channel_id: z.string() })

export const channelEvents = {
  'channel.created': channel.extend({ name: z.string(), platform: z.string() }),
  'channel.updated': channel.extend({ status: z.string() }),
  'channel.deleted': channel,
  /** A message that the policy accepted; `text` is truncated. */
  'channel.message.received': channel.extend({
    platform: z.string(),
    message_id: z.string(),
    conversation_id: z.string().nullable(),
    peer_kind: z.enum(['dm', 'group']),
    peer_id: z.string(),
    sender_id: z.string(),
    sender_name: z.string().nullable(),
    from_owner: z.boolean(),
    text: z.string(),
  }),
  'channel.message.sent': channel.extend({ platform: z.string(), message_id: z.string() }),
  'channel.error': channel.extend({ platform: z.string(), error: z.string() }),
  'channel.pairing.requested': channel.extend({
    pairing_id: z.string(),
    sender_id: z.string(),
    sender_name: z.string().nullable(),
    code: z.string(),
  }),
  'channel.pairing.resolved': channel.extend({ pairing_id: z.string(), status: z.string() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof channelEvents> {}
}
