import { z } from 'zod'
import { approvalsOfTurn, publicApproval } from '../../../chat/approval-store.ts'
import { requireConversation } from '../../../chat/conversations.ts'
import { attachToAnswer, followTurn } from '../../../chat/live.ts'
import { findMessage, listMessages } from '../../../chat/message-store.ts'
import { type Message, StreamRequest } from '../../../chat/schema.ts'
import { sendMessage } from '../../../chat/send.ts'
import type { Context } from '../../../context.ts'
import { ownTool, type ServingScope } from './tool.ts'

export const chat = ownTool({
  name: 'chat',
  title: 'Chat with an agent',
  description:
    'Sends a message to an agent of hearthd and waits for its answer. Without conversation_id it begins a new ' +
    'conversation; pass the id that comes back to go on with it. status is complete, interrupted, error, or ' +
    'waiting_approval: then a person must answer first, and read_conversation shows what came of it.',
  scope: 'write',
  input: z.object({
    message: StreamRequest.shape.message,
    conversation_id: z.string().optional(),
    agent_id: z.string().optional().describe('As list_agents names it; left out for the default agent'),
  }),
  async run(input, scope) {
    const { context } = scope
    const answer = await sendMessage(context, StreamRequest.parse(input), null)
    await follow(answer, scope)
    return outcome(context, (await findMessage(context, answer.id)) ?? answer)
  },
})

/** To the end of the answer, or to the point where a person is asked. */
async function follow(answer: Message, { context, tell }: ServingScope): Promise<void> {
  const attachment = await attachToAnswer(context, answer)
  for await (const { event, data } of followTurn(context, attachment, context.signal)) {
    if (event === 'approval_required') return
    if (event === 'tool_use') await tell((data as { summary: string }).summary)
  }
}

async function outcome(context: Context, message: Message) {
  const { id, conversation_id, content, status, error } = message
  const base = { conversation_id, message_id: id, answer: content, error: error?.message ?? null }
  if (status !== 'streaming') return { ...base, status }
  const approvals = (await approvalsOfTurn(context, id)).map(publicApproval)
  return {
    ...base,
    status: 'waiting_approval',
    approvals: approvals.filter((one) => one.status === 'pending'),
  }
}

export const readConversation = ownTool({
  name: 'read_conversation',
  title: 'Read a conversation',
  description: 'The latest messages of a conversation with an agent of hearthd, oldest first.',
  scope: 'read',
  input: z.object({ conversation_id: z.string(), limit: z.number().int().min(1).max(50).default(10) }),
  async run({ conversation_id, limit }, { context }) {
    const { title, status } = await requireConversation(context, conversation_id)
    const messages = await listMessages(context, conversation_id, { limit })
    return {
      conversation_id,
      title,
      status,
      messages: messages.map(({ id, role, content, status, created_at }) => ({
        id,
        role,
        content,
        status,
        created_at,
      })),
    }
  },
})
