import type { Context } from '../../context.ts'
import { ModelError } from '../../ports/models.ts'
import { chooseModel } from '../../providers/access.ts'
import { toolsFor } from '../../tools/registry.ts'
import type { Work } from '../../work/schema.ts'
import { answeringAgent } from '../answering-agent.ts'
import { closeDelivered } from '../check-ins/begin.ts'
import { findConversation } from '../conversation-store.ts'
import { findMessage } from '../message-store.ts'
import { remember } from './remember.ts'
import { retell } from './replay.ts'
import type { Turn } from './state.ts'

/** Collects what a turn needs. Null when its conversation or message was deleted. Throws `ModelError`. */
export async function prepareTurn(context: Context, work: Work): Promise<Turn | null> {
  const message = await findMessage(context, work.subject)
  const conversation = message && (await findConversation(context, message.conversation_id))
  if (!message || !conversation) return null
  await closeDelivered(context, message.id)
  const answering = await answeringAgent(context, conversation)
  if (!answering.ok) throw new ModelError('cancelled', answering.reason)
  const { agent } = answering
  const pinned = typeof work.payload.model === 'string' ? work.payload.model : conversation.model
  const access = await chooseModel(context, pinned, agent.model)
  message.model = access.model
  message.provider = access.provider
  const log = context.process.turns.open(message.id)
  if (log.empty) await retell(context, log, message)
  const tools = conversation.mode === 'chat' ? [] : await toolsFor(agent, context)
  const turn = { context, work, conversation, agent, tools, access, message, log }
  return { ...turn, recalled: await remember(turn) }
}
