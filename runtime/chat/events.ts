import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const toolCall = z.object({
  conversation_id: z.string(),
  message_id: z.string(),
  tool: z.string(),
  /** Id of the call within its message. */
  call_id: z.string(),
})

export const chatEvents = {
  'conversation.created': z.object({
    conversation_id: z.string(),
    agent_id: z.string().nullable(),
    title: z.string(),
  }),
  'conversation.updated': z.object({ conversation_id: z.string() }),
  'conversation.deleted': z.object({ conversation_id: z.string() }),
  'conversation.compacted': z.object({ conversation_id: z.string(), folded: z.int() }),
  'message.received': z.object({ conversation_id: z.string(), message_id: z.string() }),
  'message.sent': z.object({ conversation_id: z.string(), message_id: z.string() }),
  'message.injected': z.object({
    conversation_id: z.string(),
    message_id: z.string(),
    job_id: z.string().optional(),
    run_id: z.string().optional(),
  }),
  'agent.run.started': z.object({ conversation_id: z.string(), message_id: z.string() }),
  'agent.run.finished': z.object({ conversation_id: z.string(), message_id: z.string() }),
  'agent.run.failed': z.object({
    conversation_id: z.string(),
    message_id: z.string(),
    code: z.string().optional(),
  }),
  'tool.before': toolCall,
  'tool.after': toolCall.extend({ is_error: z.boolean() }),
  'tool.denied': toolCall.extend({ is_error: z.boolean() }),
  'approval.requested': z.object({
    approval_id: z.string(),
    conversation_id: z.string(),
    tool: z.string(),
    summary: z.string(),
    agent_reason: z.string().nullable(),
  }),
  'approval.resolved': z.object({
    approval_id: z.string(),
    conversation_id: z.string(),
    tool: z.string(),
    status: z.string(),
  }),
  'chat.check_in.changed': z.object({ conversation_id: z.string(), agent_id: z.string() }),
  'check_in.armed': z.object({
    check_in_id: z.string(),
    conversation_id: z.string(),
    agent_id: z.string(),
    due_at: z.string(),
  }),
  'check_in.delivered': z.object({
    check_in_id: z.string(),
    conversation_id: z.string(),
    agent_id: z.string(),
  }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof chatEvents> {}
}
