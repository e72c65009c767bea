import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const conversation = z.object({ conversation_id: z.string() })
const message = conversation.extend({ message_id: z.string() })
/** `call_id`: of the call within its message. */
const toolCall = message.extend({ tool: z.string(), call_id: z.string() })
const approval = z.object({ approval_id: z.string(), conversation_id: z.string(), tool: z.string() })
const permission = z.object({ permission_id: z.string() })
const checkIn = z.object({ check_in_id: z.string(), conversation_id: z.string(), agent_id: z.string() })

const link = z.object({ link_id: z.string() })

export const chatEvents = {
  'conversation.created': conversation.extend({ agent_id: z.string().nullable(), title: z.string() }),
  'conversation.updated': conversation,
  'conversation.deleted': conversation,
  'conversation_link.created': link,
  'conversation_link.deleted': link,
  'conversation.compacted': conversation.extend({ folded: z.int() }),
  'message.received': message,
  'message.sent': message,
  'message.injected': message.extend({ job_id: z.string().optional(), run_id: z.string().optional() }),
  'agent.run.started': message,
  'agent.run.finished': message,
  'agent.run.failed': message.extend({ code: z.string().optional() }),
  'tool.before': toolCall.extend({ permission_id: z.string().optional() }),
  'tool.after': toolCall.extend({ is_error: z.boolean() }),
  'tool.denied': toolCall.extend({ is_error: z.boolean() }),
  'approval.requested': approval.extend({ summary: z.string(), agent_reason: z.string().nullable() }),
  'approval.resolved': approval.extend({ status: z.string() }),
  'permission.created': permission,
  'permission.updated': permission,
  'permission.deleted': permission,
  /** What ran under the owner's permissions in the last day. */
  'permission.digest': z.object({ title: z.string(), text: z.string() }),
  'chat.check_in.changed': conversation.extend({ agent_id: z.string() }),
  'check_in.armed': checkIn.extend({ due_at: z.string() }),
  'check_in.delivered': checkIn,
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof chatEvents> {}
}
