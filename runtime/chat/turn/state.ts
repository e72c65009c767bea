import type { AgentSettings } from '../../agents/index.ts'
import type { Context } from '../../context.ts'
import type { EventInput } from '../../events/event.ts'
import type { TurnSpender } from '../../ledger/spender.ts'
import { categoryOf } from '../../ledger/spender.ts'
import type { Statement } from '../../ports/sql.ts'
import {
  type CallContent,
  type CallEvent,
  type CallUsage,
  callModel,
  type ModelAccess,
  type Retry,
} from '../../providers/index.ts'
import type { Agent } from '../../tools/agent.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Hold } from '../../within.ts'
import type { Work } from '../../work/schema.ts'
import { applyEvent, completeSteps, textOf } from '../answer.ts'
import type { StoredConversation } from '../conversation-store.ts'
import type { TurnLog } from '../live.ts'
import { updateMessage } from '../message-store.ts'
import type { Message, MessageError, StreamErrorCode, StreamEvent } from '../schema.ts'
import type { Recalled } from './recalled.ts'

/** A running turn: the answer so far and everything needed to continue it. */
export interface Turn {
  context: Context
  work: Work
  conversation: StoredConversation
  agent: Agent
  settings: Omit<AgentSettings, 'default_agent_id'>
  /** What it is told first: its own system prompt, or that of the work that started the turn. */
  instructions: string
  /** What it is told about this turn; empty if there is nothing special. */
  about: string
  tools: readonly Tool[]
  /** The names that `find_tools` has returned in this conversation. */
  requested_tools: readonly string[]
  access: ModelAccess
  /** The answer so far; replaced by every event. */
  message: Message
  /** Waits for a person without using up the time of the turn; null where no person can be asked. */
  hold: Hold | null
  /** As of `CallRequest`. */
  max_wait: number
  /** When this part of the turn began, in milliseconds since the epoch. */
  begun: number
  /** The owner's IANA zone. */
  timezone: string
  /** The owner's name, and the English name of their language; empty if they have set none. */
  person: string
  language: string
  /** Ids of the attached files in the last prompt that are not text. */
  files: string[]
  /** The memories in the prompt, by answer. */
  recalled: ReadonlyMap<string, readonly Recalled[]>
  /** How many characters of results are sent, by their place in the prompt; the others are sent whole. */
  shortened: Map<string, number>
  log: TurnLog
  /** Resolves when every change of the answer so far is stored. */
  changes: Promise<void>
}

/** One of our own rules ended the turn. */
export class TurnError extends Error {
  override name = 'TurnError'
  readonly code: StreamErrorCode
  /** The limit that was reached; the person may continue. */
  readonly limit: MessageError['limit']
  constructor(code: StreamErrorCode, message: string, limit?: MessageError['limit']) {
    super(message)
    this.code = code
    this.limit = limit
  }
}

/** Adds an event to the answer and sends it to the clients. It is stored with the next commit of the turn. */
export function tell(turn: Turn, event: StreamEvent): void {
  turn.message = applyEvent(turn.message, event)
  turn.log.emit(event)
}

/** Adds text to the answer. In the stream, a blank line separates it from the text of an earlier step. */
export function say(turn: Turn, text: string): void {
  const { parts } = turn.message
  const starts = parts.at(-1)?.type !== 'text' && parts.some(({ type }) => type === 'text')
  tell(turn, { event: 'token', data: { content: starts ? `\n\n${text}` : text } })
}

/** Says why nothing comes for some seconds. */
export const tellRetry = (turn: Turn, { type: _, ...data }: Retry): void => tell(turn, { event: 'retry', data })

/**
 * Adds an event to the answer, stores the answer together with `statements`, then sends the event to the
 * clients.
 */
export const record = (
  turn: Turn,
  event: StreamEvent,
  { statements = [], events = [] }: { statements?: Statement[]; events?: EventInput[] },
): Promise<void> =>
  inOrder(turn, async () => {
    const changed = applyEvent(turn.message, event)
    await turn.context.commit([...statements, updateMessage(changed)], events)
    turn.message = changed
    turn.log.emit(event)
  })

/** Changes the answer after the changes before it are stored: several tools may run at once. */
export function inOrder(turn: Turn, change: () => Promise<void>): Promise<void> {
  const changed = turn.changes.then(change)
  turn.changes = changed.catch(() => undefined)
  return changed
}

/** Stores the answer so far. */
export async function save(turn: Turn, events: EventInput[] = [], statements: Statement[] = []): Promise<void> {
  const stored = updateMessage({ ...turn.message, content: textOf(turn.message.parts) })
  await turn.context.commit([...statements, stored], events)
}

/** Calls the model and charges the call to this turn. */
export function callForTurn(turn: Turn, content: CallContent): AsyncIterable<CallEvent> {
  const { agent, access, context, conversation, max_wait } = turn
  const spender = {
    category: categoryOf(conversation.kind),
    agent_id: agent.id,
    conversation_id: conversation.id,
    message_id: turn.message.id,
    project_id: conversation.project_id,
    ...(turn.work.payload.spender as TurnSpender | undefined),
  }
  const step = completeSteps(turn.message).filter(({ type }) => type !== 'note').length
  const spent = (usage: CallUsage) => addToAnswer(turn, usage)
  return callModel(context, { access, content, spender, agent, max_wait, step, spent })
}

/** Counts what a call has cost; the answer so far is stored in the same commit. */
function addToAnswer(turn: Turn, { provider, model, input_tokens, output_tokens, cost_usd }: CallUsage) {
  const { message } = turn
  turn.message = {
    ...message,
    provider,
    model,
    input_tokens: message.input_tokens + input_tokens,
    output_tokens: message.output_tokens + output_tokens,
    cost_usd: message.cost_usd + cost_usd,
    content: textOf(message.parts),
  }
  return [updateMessage(turn.message)]
}
