import { readAttachments } from '../../files/attachments.ts'
import { ModelError, type ModelEvent, type ModelMessage } from '../../ports/models.ts'
import type { CallEvent } from '../../providers/call.ts'
import { toSpec } from '../../tools/registry.ts'
import { historyBefore } from '../message-store.ts'
import type { ToolUsePart } from '../schema.ts'
import { callForTurn } from './call.ts'
import { compacted } from './compact.ts'
import { describeCall } from './describe.ts'
import { answerMessages, filesOf, systemPrompt, toModelMessages } from './prompt.ts'
import { say, type Turn } from './state.ts'
import { adoptSteering } from './steer.ts'
import { storeAsItGrows } from './store-as-it-grows.ts'

/** Lets the model speak once, and stores what it said. Throws `ModelError`. */
export async function modelStep(turn: Turn): Promise<void> {
  await adoptSteering(turn)
  const messages = await conversationSoFar(turn)
  const stored = storeAsItGrows(turn)
  try {
    for await (const event of speak(turn, messages)) {
      turn.context.signal.throwIfAborted()
      take(turn, event)
      stored.said()
    }
  } finally {
    await stored.end()
  }
}

async function conversationSoFar(turn: Turn): Promise<ModelMessage[]> {
  const history = await historyBefore(turn.context, turn.conversation.id, turn.message.id)
  const kept = await compacted(turn, history)
  const { parts } = turn.message
  const files = filesOf([...kept.flatMap((message) => message.parts), ...parts])
  const attached = await readAttachments(turn.context, files)
  return [...toModelMessages(kept, attached), ...answerMessages(parts, attached)]
}

function speak(turn: Turn, messages: ModelMessage[]): AsyncIterable<CallEvent> {
  const { agent } = turn
  return callForTurn(turn, {
    ...(agent.temperature === null ? {} : { temperature: agent.temperature }),
    ...(agent.max_output_tokens === null ? {} : { max_output_tokens: agent.max_output_tokens }),
    system: systemPrompt(turn),
    messages,
    tools: turn.tools.map(toSpec),
  })
}

function take(turn: Turn, event: CallEvent): void {
  if (event.type === 'text' || event.type === 'reasoning') say(turn, event.type, event.text)
  if (event.type === 'tool_call') takeCall(turn, event)
  if (event.type === 'fallback')
    turn.log.emit('fallback', { from: event.from, to: event.to, reason: event.reason })
  if (event.type === 'finish' && event.reason === 'content_filter')
    throw new ModelError('content_filter', 'The vendor withheld the answer')
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
