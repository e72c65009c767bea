import type { ModelEvent, ModelMessage } from '../../ports/models.ts'
import { ModelError } from '../../ports/models.ts'
import { second } from '../../time.ts'
import { toSpec } from '../../tools/registry.ts'
import { historyBefore } from '../message-store.ts'
import type { ToolUsePart } from '../schema.ts'
import { describeCall } from './describe.ts'
import { answerMessages, systemPrompt, toModelMessages } from './prompt.ts'
import { save, say, type Turn } from './state.ts'

/** A crash loses at most this much of a streamed answer. */
const saveEvery = 1 * second

/** Lets the model speak once, and stores what it said. Throws `ModelError`. */
export async function modelStep(turn: Turn): Promise<void> {
  const messages = await conversationSoFar(turn)
  let finished = false
  for await (const event of callModel(turn, messages)) {
    turn.context.signal.throwIfAborted()
    take(turn, event)
    finished ||= event.type === 'finish'
    if (turn.context.clock.now() - turn.saved_at >= saveEvery) await save(turn)
  }
  if (!finished) throw new ModelError('interrupted', 'The model stopped in the middle of its answer')
  await save(turn)
}

async function conversationSoFar(turn: Turn): Promise<ModelMessage[]> {
  const history = await historyBefore(turn.context, turn.conversation.id, turn.message.id)
  return [...toModelMessages(history), ...answerMessages(turn.message.parts)]
}

function callModel(turn: Turn, messages: ModelMessage[]): AsyncIterable<ModelEvent> {
  const { agent, access, context } = turn
  return context.models.stream({
    provider: access.provider,
    model: access.model,
    ...(access.api_key ? { api_key: access.api_key } : {}),
    ...(access.base_url ? { base_url: access.base_url } : {}),
    ...(agent.temperature === null ? {} : { temperature: agent.temperature }),
    ...(agent.max_output_tokens === null ? {} : { max_output_tokens: agent.max_output_tokens }),
    system: systemPrompt(agent, context.clock.now(), turn.tools),
    messages,
    tools: turn.tools.map(toSpec),
    signal: context.signal,
  })
}

function take(turn: Turn, event: ModelEvent): void {
  if (event.type === 'text' || event.type === 'reasoning') say(turn, event.type, event.text)
  if (event.type === 'tool_call') takeCall(turn, event)
  if (event.type === 'finish') takeUsage(turn, event)
}

function takeCall(turn: Turn, event: Extract<ModelEvent, { type: 'tool_call' }>): void {
  const input = event.invalid === undefined ? event.input : { invalid_json: event.invalid }
  const { summary } = describeCall(turn.tools, event.name, input)
  const id = uniqueCallId(turn, event.id)
  const part: ToolUsePart = { type: 'tool_use', id, tool: event.name, input, summary, state: 'proposed' }
  turn.message.parts.push(part)
  turn.log.emit('tool_use', { id, tool: event.name, input, summary })
}

/** Some servers number the calls of every step from zero. */
function uniqueCallId(turn: Turn, id: string): string {
  const taken = new Set(turn.message.parts.filter((part) => part.type === 'tool_use').map((part) => part.id))
  if (id !== '' && !taken.has(id)) return id
  return `${id || 'call'}_${taken.size + 1}`
}

function takeUsage(turn: Turn, event: Extract<ModelEvent, { type: 'finish' }>): void {
  const { message, access, context } = turn
  message.input_tokens += event.input_tokens
  message.output_tokens += event.output_tokens
  message.cost_usd += access.cost({ input: event.input_tokens, output: event.output_tokens })
  context.metrics.count('token_usage_total', { model: access.model, type: 'input' }, event.input_tokens)
  context.metrics.count('token_usage_total', { model: access.model, type: 'output' }, event.output_tokens)
  if (event.reason === 'content_filter')
    throw new ModelError('content_filter', 'The vendor withheld the answer')
}
