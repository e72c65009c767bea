import type { Agent } from '../../agents/schema.ts'
import type { Context } from '../../context.ts'
import type { Recalled } from '../../memory/recall/notes.ts'
import { categoryOf } from '../../monitoring/ledger-schema.ts'
import type { Statement } from '../../ports/sql.ts'
import type { ModelAccess } from '../../providers/access.ts'
import { type CallContent, type CallEvent, type CallUsage, callModel } from '../../providers/call.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Work } from '../../work/schema.ts'
import type { StoredConversation } from '../conversation-store.ts'
import type { TurnLog } from '../live.ts'
import { updateMessage } from '../message-store.ts'
import type { Message, Part, StreamErrorCode, ToolUsePart, TurnSpender } from '../schema.ts'

/** One turn in the making: the answer so far, and everything that making it needs. */
export interface Turn {
  context: Context
  work: Work
  conversation: StoredConversation
  agent: Agent
  tools: readonly Tool[]
  access: ModelAccess
  /** Changed in place as the answer grows; stored by `save`. */
  message: Message
  /** The memories that stand in the prompt. */
  recalled: readonly Recalled[]
  log: TurnLog
}

/** Makes what was said and done so far durable. */
export async function save(turn: Turn): Promise<void> {
  turn.message.content = textOf(turn.message.parts)
  await turn.context.commit([updateMessage(turn.message)])
}

/** Adds words to the answer and tells them. */
export function say(turn: Turn, type: 'text' | 'reasoning', text: string): void {
  if (text === '') return
  const last = turn.message.parts.at(-1)
  if (last?.type === type) last.text += text
  else turn.message.parts.push({ type, text })
  turn.log.emit(type === 'text' ? 'token' : 'reasoning', { content: text })
}

/** The words of an answer, without its tools. */
export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n')

/** A person was asked and the answer was not acted upon yet: nothing is lost when the turn is taken up again. */
export const isAsking = (message: Message): boolean =>
  openCalls(message).some(({ state }) => state === 'waiting')

/** Calls that have no result yet, in the order in which the model made them. */
export function openCalls(message: Message): ToolUsePart[] {
  const answered = new Set(message.parts.filter((part) => part.type === 'tool_result').map((part) => part.id))
  return message.parts.filter((part) => part.type === 'tool_use').filter((part) => !answered.has(part.id))
}

/** A rule of ours ended the turn. */
export class TurnError extends Error {
  override name = 'TurnError'
  readonly code: StreamErrorCode
  constructor(code: StreamErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

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
