import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { findVendor } from '../../runtime/models/vendors/index.ts'
import type { Vendor } from '../../runtime/models/vendors/vendor.ts'
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
  provider,
  cache_key,
  arguments: names = {},
}: Pick<ModelCall, 'system' | 'messages' | 'provider' | 'cache_key' | 'arguments'>): LanguageModelV4Prompt {
  const base = findVendor(provider)
  if (!base) throw new ModelError('provider_unavailable', `${provider}: no such provider`)
  const vendor = names.reasoning_content ? { ...base, takes_reasoning: true as const } : base
  const said = messages.map((message) => toMessage(message, vendor)).filter(({ content }) => content.length > 0)
  if (vendor.answers_tools) answerTools(said)
  const prompt: LanguageModelV4Prompt = system ? [{ role: 'system', content: system }, ...said] : said
  if (cache_key !== undefined && vendor.cache_mark) markPrompt(prompt, vendor.cache_mark)
  return prompt
}

/** Puts a message of the model between the results of tools and what the person said then. */
function answerTools(prompt: LanguageModelV4Prompt): void {
  for (let index = prompt.length - 1; index > 0; index -= 1)
    if (prompt[index]?.role === 'user' && prompt[index - 1]?.role === 'tool')
      prompt.splice(index, 0, { role: 'assistant', content: [{ type: 'text', text: 'Read.' }] })
}

/**
 * Marks the instructions with the tools, the end of the last request, the person's last message, and the end of this request.
 * A vendor looks only a few blocks back from a mark, so what it has cached must be marked again.
 */
function markPrompt(prompt: LanguageModelV4Prompt, mark: SharedV4ProviderOptions): void {
  const ends = prompt.filter(
    ({ role }, index) => role !== 'assistant' && (prompt[index + 1]?.role ?? 'assistant') === 'assistant',
  )
  const question = prompt.findLast(({ role }) => role === 'user')
  for (const message of new Set([prompt[0], question, ...ends.slice(-2)])) if (message) message.providerOptions = mark
}

function toMessage(message: ModelMessage, vendor: Vendor): LanguageModelV4Message {
  if (message.role === 'user') {
    const said = message.content.map((part) => toUserPart(part, vendor))
    const notes = message.notes ? [{ type: 'text' as const, text: message.notes }] : []
    return { role: 'user', content: joinTexts([...said, ...notes]) }
  }
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
