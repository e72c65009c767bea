import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider'
import { ollamaContext } from '../../runtime/models/vendors/ollama.ts'
import { isOwnAddress, type Vendor } from '../../runtime/models/vendors/vendor.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import {
  type FinishReason,
  type ModelCall,
  ModelError,
  type ModelEvent,
  type VendorData,
} from '../../runtime/ports/models.ts'
import { adjustArguments, type SentRequest } from './arguments.ts'
import { type Connection, type ModelHost, openConnection, refuseDocuments, resolveAccess } from './connection.ts'
import { headersOf, toModelError } from './errors.ts'
import { parseJson } from './json.ts'
import { toPrompt, toTools } from './prompt.ts'

type ToolCallEvent = Extract<ModelEvent, { type: 'tool_call' }>
type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>
type Parts = ReadableStreamDefaultReader<LanguageModelV4StreamPart>

/**
 * The events of one request, which is never repeated; the connection closes when the reader stops. Tool calls come just
 * before the finish: those of an interrupted answer may be incomplete and must not run.
 */
export async function* streamAnswer(host: ModelHost, call: ModelCall): AsyncGenerator<ModelEvent> {
  const { vendor, base_url, api_key } = resolveAccess(call)
  const connection = openConnection(host, call, { vendor, base_url })
  const { provider } = call
  let began = false
  const sent: SentRequest = { body: '' }
  try {
    connection.signal.throwIfAborted()
    const readable = refuseDocuments(connection.fetch, provider)
    const fetch = adjustArguments(readable, call.arguments ?? {}, sent, call.sent)
    const model = await vendor.open({ baseURL: base_url, apiKey: api_key, fetch }, call.model)
    const { stream, response } = await model.doStream(toOptions(call, connection, vendor))
    began = true
    const limits = limitsIn(response?.headers)
    if (limits) yield limits
    const parts = stream.getReader()
    const calls: ToolCallEvent[] = []
    const signed = new Map<string, VendorData>()
    let written = 0
    for (;;) {
      const { done, value: part } = await parts.read()
      if (done) throw brokeOff(provider)
      if (part.type === 'error') throw part.error
      const data = part.type === 'text-delta' ? undefined : sign(signed, part)
      if (data) yield { type: 'reasoning', text: '', vendor_data: data }
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
        written += part.delta.length
        if (part.delta) yield { type: part.type === 'text-delta' ? 'text' : 'reasoning', text: part.delta }
      } else if (part.type === 'tool-call' && !part.providerExecuted) {
        written += part.input.length
        calls.push(toToolCall(part))
      } else if (part.type === 'finish') {
        const reason = toReason(part.finishReason, calls.length > 0)
        if (!reason) throw brokeOff(provider)
        for (const one of calls) yield one
        yield { type: 'finish', reason, ...countTokens(part, call, written) }
        return await readTail(parts, host.clock, connection)
      }
    }
  } catch (error) {
    const limits = limitsIn(headersOf(error))
    if (limits) yield limits
    throw (
      connection.closedBecause() ??
      toModelError(error, { ...{ provider, api_key: call.api_key, began, sent: sent.body, now: host.clock.now() } })
    )
  } finally {
    connection.close()
  }
}

function toOptions(call: ModelCall, { signal }: Connection, vendor: Vendor): LanguageModelV4CallOptions {
  const isOwn = isOwnAddress(vendor, call.base_url)
  return {
    prompt: toPrompt(call),
    tools: toTools(call.tools),
    temperature: call.temperature,
    maxOutputTokens: call.max_output_tokens,
    abortSignal: signal,
    providerOptions: {
      // OpenAI keeps answers for 30 days unless told not to. Other servers may refuse what only OpenAI documents.
      ...(isOwn && { openai: { store: false, ...(call.cache_key && { promptCacheKey: call.cache_key }) } }),
      ...(isOwn && call.cache_key && vendor.cache_option?.(call.model)),
      // Ollama cuts a prompt without a word when its context is smaller.
      ollama: { num_ctx: call.context_tokens ?? ollamaContext / 2 },
    },
  }
}

function limitsIn(headers: Record<string, string> = {}): ModelEvent | null {
  const limits = Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => /^(anthropic-ratelimit|x-ratelimit|retry-after)/.test(name))
  return limits.length === 0 ? null : { type: 'limits', headers: Object.fromEntries(limits) }
}

const brokeOff = (provider: string) =>
  new ModelError('interrupted', `${provider}: the answer was interrupted`, { transient: true })

/** Collects what a vendor adds to one piece of reasoning, and returns it when the piece ends. */
function sign(signed: Map<string, VendorData>, part: LanguageModelV4StreamPart): VendorData | undefined {
  if (part.type !== 'reasoning-start' && part.type !== 'reasoning-delta' && part.type !== 'reasoning-end') return
  const { id, providerMetadata } = part
  if (providerMetadata) signed.set(id, mergeData(signed.get(id), providerMetadata))
  return part.type === 'reasoning-end' ? wantedBack(signed.get(id)) : undefined
}

function mergeData(old: VendorData = {}, added: VendorData): VendorData {
  const merged = Object.entries(added).map(([vendor, data]) => [vendor, { ...old[vendor], ...data }])
  return { ...old, ...Object.fromEntries(merged) }
}

/** The id of an item alone means nothing to a vendor that keeps no answers. */
function wantedBack(data: VendorData | undefined): VendorData | undefined {
  const entries = Object.values(data ?? {}).flatMap((one) => Object.entries(one))
  return entries.some(([name, value]) => name !== 'itemId' && value !== null) ? data : undefined
}

function toToolCall({ toolCallId, toolName, input: raw, providerMetadata }: LanguageModelV4ToolCall): ToolCallEvent {
  const vendor_data = wantedBack(providerMetadata)
  const input = raw.trim() === '' ? {} : parseJson(raw)
  const event: ToolCallEvent = {
    type: 'tool_call',
    id: toolCallId,
    name: toolName,
    input: input ?? {},
    ...(vendor_data && { vendor_data }),
  }
  return input === undefined ? { ...event, invalid: raw } : event
}

const reasons: Partial<Record<LanguageModelV4FinishReason['unified'], FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  other: 'other',
}

/** Undefined if the vendor gave none: the DeepSeek package calls that `other`, the rest `interrupted`. */
function toReason({ unified, raw }: LanguageModelV4FinishReason, hasCalls: boolean): FinishReason | undefined {
  if (unified === 'other' && raw === undefined) return undefined
  // Some compatible servers say `stop` after tool calls.
  return unified === 'stop' && hasCalls ? 'tool_calls' : reasons[unified]
}

/** A count of zero means that no count was sent, because no prompt is empty. */
function countTokens({ usage }: FinishPart, call: ModelCall, written: number) {
  const { inputTokens, outputTokens } = usage
  if (inputTokens.total && outputTokens.total !== undefined)
    return {
      input_tokens: inputTokens.total,
      output_tokens: outputTokens.total,
      ...(inputTokens.cacheRead && { cached_tokens: inputTokens.cacheRead }),
      ...(inputTokens.cacheWrite && { cache_write_tokens: inputTokens.cacheWrite }),
    }
  return {
    input_tokens: inputTokens.total || estimateTokens(promptLength(call)),
    output_tokens: outputTokens.total || estimateTokens(written),
    estimated: true,
  }
}

/** About four characters to a token, the vendors' own rule of thumb for English. */
const estimateTokens = (characters: number) => Math.ceil(characters / 4)

/** Characters assumed for an image or document: 1,000 tokens. */
const fileLength = 4_000

function promptLength({ system, messages, tools }: ModelCall): number {
  const lengths = messages.flatMap((message) => [
    message.role === 'user' ? (message.notes?.length ?? 0) : 0,
    ...message.content.map((part) => (part.type === 'file' ? fileLength : JSON.stringify(part).length)),
  ])
  return lengths.reduce((sum, length) => sum + length, system.length + JSON.stringify(tools).length)
}

/** Milliseconds. */
const maxTail = 250

/** Reads the last bytes after the finish, up to this long, so that the connection can be reused. */
async function readTail(parts: Parts, clock: Clock, { signal }: Connection): Promise<void> {
  const timer = clock.after(maxTail, signal)
  timer.catch(() => {
    // The connection was closed first.
  })
  await Promise.race([readToEnd(parts), timer])
}

async function readToEnd(parts: Parts): Promise<void> {
  try {
    while (!(await parts.read()).done);
  } catch {
    // Errors after the finish are harmless.
  }
}
