import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { findVendor } from '../../runtime/models/vendors/index.ts'
import { isOwnAddress, type Vendor } from '../../runtime/models/vendors/vendor.ts'
import {
  type FilePart,
  type ModelCall,
  ModelError,
  type ModelMessage,
  type ToolResultPart,
  type ToolSpec,
} from '../../runtime/ports/models.ts'
import { wrapUntrusted } from '../../runtime/untrusted.ts'

type Content<Role> = Extract<LanguageModelV4Message, { role: Role }>['content']

/** Our messages in the format of the provider packages. */
export function toPrompt({
  system,
  messages,
  notes,
  provider,
  model,
  cache_key,
  base_url,
  arguments: names = {},
}: Pick<
  ModelCall,
  'system' | 'messages' | 'notes' | 'provider' | 'model' | 'cache_key' | 'base_url' | 'arguments'
>): LanguageModelV4Prompt {
  const found = findVendor(provider)
  if (!found) throw new ModelError('provider_unavailable', `${provider}: no such provider`)
  const vendor = names.reasoning_content ? { ...found, takes_reasoning: true as const } : found
  const said = messages
    .map((message) => toMessage(message, vendor))
    .filter(({ content }) => content.length > 0)
  const prompt: LanguageModelV4Prompt = system ? [{ role: 'system', content: system }, ...said] : said
  const mark = cache_key === undefined ? undefined : markFor(vendor, model, base_url)
  const asked = prompt.findLast(({ role }) => role === 'user')
  if (asked?.role === 'user') {
    const last = asked.content.at(-1)
    if (last && mark) last.providerOptions = mark
    // Some compatible servers take a single text only.
    if (notes && last?.type === 'text' && !mark) last.text += `\n\n${notes}`
    else if (notes) asked.content.push({ type: 'text', text: notes })
  }
  // The instructions, the conversation up to the notes, and the steps of this turn are cached separately.
  if (mark) for (const message of [prompt[0], prompt.at(-1)]) markMessage(message, mark)
  return prompt
}

/** A mark is part of Anthropic's format, but an addition of OpenRouter's own to that of others. */
function markFor(vendor: Vendor, model: string, base_url: string | undefined) {
  const mark = vendor.cache_mark?.(model)
  return mark?.openaiCompatible && !isOwnAddress(vendor, base_url) ? undefined : mark
}

/** OpenRouter takes a mark in a text part only, and the last message may hold the notes. */
function markMessage(message: LanguageModelV4Message | undefined, mark: SharedV4ProviderOptions): void {
  if (message && message.role !== 'user' && mark.anthropic) message.providerOptions = mark
}

function toMessage(message: ModelMessage, vendor: Vendor): LanguageModelV4Message {
  if (message.role === 'user')
    return { role: 'user', content: joinTexts(message.content.map((part) => toUserPart(part, vendor))) }
  if (message.role === 'assistant')
    return { role: 'assistant', content: message.content.flatMap((part) => toAssistantPart(part, vendor)) }
  return { role: 'tool', content: message.content.map((part) => toResult(part, vendor)) }
}

/** One text for texts in a row: DeepSeek's package joins them without a space. */
function joinTexts(parts: Content<'user'>): Content<'user'> {
  const joined: Content<'user'> = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type === 'text' && last?.type === 'text') last.text += `\n\n${part.text}`
    else joined.push(part)
  }
  return joined
}

type Said<Role> = Extract<ModelMessage, { role: Role }>['content'][number]

function toUserPart(part: Said<'user'>, vendor: Vendor): Content<'user'>[number] {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.omitted !== undefined) return { type: 'text', text: nameFile(part, part.omitted) }
  if (isText(part.mime_type)) return { type: 'text', text: quoteFile(part) }
  if (!vendor.files.includes(part.mime_type))
    return { type: 'text', text: nameFile(part, 'this model does not support files of that type') }
  return {
    type: 'file',
    data: { type: 'data', data: part.data },
    mediaType: part.mime_type,
    filename: part.name,
  }
}

/** Most vendors accept only images and PDF, so text files are sent as text. */
function isText(mimeType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|javascript)\b|\+(json|xml)\b/.test(mimeType)
}

function quoteFile({ name, data }: FilePart): string {
  return `File ${JSON.stringify(name ?? 'unnamed')}:\n${wrapUntrusted(new TextDecoder().decode(data))}`
}

/** So that the model can say that it cannot see the file. */
function nameFile({ name, mime_type, size_bytes, data }: FilePart, why: string): string {
  return `File ${JSON.stringify(name ?? 'unnamed')} (${mime_type}, ${size_bytes ?? data.length} bytes): ${why}.`
}

function toAssistantPart(part: Said<'assistant'>, vendor: Vendor): Content<'assistant'> {
  if (part.type === 'text') return part.text ? [{ type: 'text', text: part.text }] : []
  const providerOptions = part.vendor_data?.[vendor.id] && (part.vendor_data as SharedV4ProviderOptions)
  if (part.type === 'reasoning')
    return vendor.takes_reasoning || providerOptions
      ? [{ type: 'reasoning', text: part.text, ...(providerOptions && { providerOptions }) }]
      : []
  return [
    {
      type: 'tool-call',
      toolCallId: vendor.call_id?.(part.id) ?? part.id,
      toolName: part.name,
      input: part.input ?? {},
      ...(providerOptions && { providerOptions }),
    },
  ]
}

function toResult(part: ToolResultPart, vendor: Vendor): Content<'tool'>[number] {
  return {
    type: 'tool-result',
    toolCallId: vendor.call_id?.(part.id) ?? part.id,
    toolName: part.name,
    output: toOutput(part),
  }
}

function toOutput({
  output,
  is_error,
}: ToolResultPart): Extract<Content<'tool'>[number], { type: 'tool-result' }>['output'] {
  if (typeof output === 'string') return { type: is_error ? 'error-text' : 'text', value: output }
  return { type: is_error ? 'error-json' : 'json', value: JSON.parse(JSON.stringify(output ?? null)) }
}

export function toTools(tools: ToolSpec[]): LanguageModelV4FunctionTool[] | undefined {
  if (tools.length === 0) return undefined
  return tools.map(({ name, description, input_schema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: input_schema,
  }))
}
