import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider'
import { type FinishReason, type ModelCall, ModelError, type ModelEvent } from '../../runtime/ports/models.ts'
import { parseJson } from './vendor-error.ts'

type ToolCallEvent = Extract<ModelEvent, { type: 'tool_call' }>
type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/**
 * The events of an answer. Tool calls come with the end: those of an answer that broke off may be cut short,
 * and must not run. Throws what the vendor sent as an error, and `interrupted` when the end is missing.
 */
export async function* readAnswer(
  parts: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  call: ModelCall,
): AsyncGenerator<ModelEvent> {
  const calls: ToolCallEvent[] = []
  let written = 0
  for (;;) {
    const { done, value: part } = await parts.read()
    if (done) throw brokeOff(call)
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      written += part.delta.length
      if (part.delta) yield { type: part.type === 'text-delta' ? 'text' : 'reasoning', text: part.delta }
    } else if (part.type === 'tool-call' && !part.providerExecuted) {
      written += part.input.length
      calls.push(toToolCall(part))
    } else if (part.type === 'finish') {
      const reason = toReason(part.finishReason, calls.length > 0)
      if (!reason) throw brokeOff(call)
      yield* calls
      return yield { type: 'finish', reason, ...countTokens(part, call, written) }
    }
  }
}

const brokeOff = ({ provider }: ModelCall) =>
  new ModelError('interrupted', `${provider}: the answer broke off`)

function toToolCall({ toolCallId, toolName, input: raw }: LanguageModelV4ToolCall): ToolCallEvent {
  const input = raw.trim() === '' ? {} : parseJson(raw)
  const event: ToolCallEvent = { type: 'tool_call', id: toolCallId, name: toolName, input: input ?? {} }
  return input === undefined ? { ...event, invalid: raw } : event
}

const reasons: Partial<Record<LanguageModelV4FinishReason['unified'], FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  other: 'other',
}

/** Undefined when the vendor gave none: the DeepSeek package calls that `other`, the rest `interrupted`. */
function toReason(
  { unified, raw }: LanguageModelV4FinishReason,
  hasCalls: boolean,
): FinishReason | undefined {
  if (unified === 'other' && raw === undefined) return undefined
  // Some compatible servers say `stop` after tool calls.
  return unified === 'stop' && hasCalls ? 'tool_calls' : reasons[unified]
}

type Tokens = Pick<Extract<ModelEvent, { type: 'finish' }>, 'input_tokens' | 'output_tokens' | 'estimated'>

/** No call has an empty prompt, so a count of zero is a count not sent. */
function countTokens({ usage }: FinishPart, call: ModelCall, written: number): Tokens {
  const { inputTokens, outputTokens } = usage
  if (inputTokens.total && outputTokens.total !== undefined) {
    return { input_tokens: inputTokens.total, output_tokens: outputTokens.total }
  }
  return {
    input_tokens: inputTokens.total || estimateTokens(promptLength(call)),
    output_tokens: outputTokens.total || estimateTokens(written),
    estimated: true,
  }
}

/** About four characters to a token, the vendors' own rule of thumb for English. */
const estimateTokens = (characters: number) => Math.ceil(characters / 4)

/** Characters that stand for the tokens of an image or document: 1,000 tokens. */
const fileLength = 4_000

function promptLength({ system, messages, tools }: ModelCall): number {
  const isFile = (part: { type: string }) => part.type === 'file'
  const lengths = messages.flatMap(({ content }) =>
    content.map((part) => (isFile(part) ? fileLength : JSON.stringify(part).length)),
  )
  return lengths.reduce((sum, length) => sum + length, system.length + JSON.stringify(tools).length)
}
