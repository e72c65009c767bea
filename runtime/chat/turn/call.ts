import { categoryOf } from '../../monitoring/ledger-schema.ts'
import type { Statement } from '../../ports/sql.ts'
import { type CallEvent, type CallUsage, callModel } from '../../providers/call.ts'
import type { CallContent } from '../../providers/estimate.ts'
import type { TurnSpender } from '../kinds.ts'
import { updateMessage } from '../message-store.ts'
import { type Turn, textOf } from './state.ts'

/** A call that this turn pays for. */
export function callForTurn(turn: Turn, content: CallContent): AsyncIterable<CallEvent> {
  const { agent, access, context, conversation } = turn
  const spender = {
    category: categoryOf(conversation.kind),
    agent_id: agent.id,
    conversation_id: conversation.id,
    message_id: turn.message.id,
    project_id: conversation.project_id,
    ...(turn.work.payload.spender as TurnSpender | undefined),
  }
  return callModel(context, { access, content, spender, agent, spent: (usage) => takeUsage(turn, usage) })
}

/** Counts what a call has cost, and stores the answer so far together with it. */
function takeUsage(turn: Turn, usage: CallUsage): Statement[] {
  const { message } = turn
  message.provider = usage.provider
  message.model = usage.model
  message.input_tokens += usage.input_tokens
  message.output_tokens += usage.output_tokens
  message.cost_usd += usage.cost_usd
  message.content = textOf(message.parts)
  return [updateMessage(message)]
}
