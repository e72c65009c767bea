import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { wrapUntrusted } from '../../runtime/models/untrusted.ts'
import type {
  FilePart,
  ModelCall,
  ModelMessage,
  ToolResultPart,
  ToolSpec,
} from '../../runtime/ports/models.ts'

type Content<Role> = Extract<LanguageModelV4Message, { role: Role }>['content']

/** Our conversation in the form of the provider packages. */
export function toPrompt({
  system,
  messages,
  provider,
}: Pick<ModelCall, 'system' | 'messages' | 'provider'>): LanguageModelV4Prompt {
  const prompt = messages
    .map((message) => toMessage(message, provider))
    .filter(({ content }) => content.length > 0)
  return system ? [{ role: 'system', content: system }, ...prompt] : prompt
}

function toMessage(message: ModelMessage, provider: string): LanguageModelV4Message {
  if (message.role === 'user')
    return { role: 'user', content: message.content.map((part) => toUserPart(part, provider)) }
  if (message.role === 'assistant')
    return { role: 'assistant', content: message.content.flatMap((part) => toAssistantPart(part, provider)) }
  return { role: 'tool', content: message.content.map((part) => toResult(part, provider)) }
}

type Said<Role> = Extract<ModelMessage, { role: Role }>['content'][number]

function toUserPart(part: Said<'user'>, provider: string): Content<'user'>[number] {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.omitted !== undefined) return { type: 'text', text: nameFile(part, part.omitted) }
  if (isText(part.mime_type)) return { type: 'text', text: quoteFile(part) }
  if (!takes(provider, part.mime_type))
    return { type: 'text', text: nameFile(part, 'this model is not shown files of that type') }
  return {
    type: 'file',
    data: { type: 'data', data: part.data },
    mediaType: part.mime_type,
    filename: part.name,
  }
}

/** Most vendors take images and PDF only, so text goes as text. */
function isText(mimeType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|javascript)\b|\+(json|xml)\b/.test(mimeType)
}

/** Pictures that every vendor reads; PDF goes to those that say that they read it. */
function takes(provider: string, mimeType: string): boolean {
  if (provider === 'deepseek') return false
  if (mimeType === 'application/pdf') return readsPdf.has(provider)
  return /^image\/(png|jpeg|webp)$/.test(mimeType) || (mimeType === 'image/gif' && provider !== 'google')
}

const readsPdf = new Set(['anthropic', 'openai', 'google', 'mistral'])

function quoteFile({ name, data }: FilePart): string {
  return `File ${JSON.stringify(name ?? 'unnamed')}:\n${wrapUntrusted(new TextDecoder().decode(data))}`
}

/** So that the model can say that it does not see the file. */
function nameFile({ name, mime_type, size_bytes, data }: FilePart, why: string): string {
  return `File ${JSON.stringify(name ?? 'unnamed')} (${mime_type}, ${size_bytes ?? data.length} bytes): ${why}.`
}

/** Of earlier reasoning only DeepSeek wants to see its own again; others refuse what is not signed by them. */
function toAssistantPart(part: Said<'assistant'>, provider: string): Content<'assistant'> {
  if (part.type === 'text') return part.text ? [{ type: 'text', text: part.text }] : []
  if (part.type === 'reasoning')
    return provider === 'deepseek' ? [{ type: 'reasoning', text: part.text }] : []
  return [
    {
      type: 'tool-call',
      toolCallId: toCallId(part.id, provider),
      toolName: part.name,
      input: part.input ?? {},
    },
  ]
}

function toResult(part: ToolResultPart, provider: string): Content<'tool'>[number] {
  return {
    type: 'tool-result',
    toolCallId: toCallId(part.id, provider),
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

/**
 * After a failover the conversation holds call ids of another vendor. Anthropic takes letters, digits, `_` and
 * `-` only; Mistral exactly nine letters and digits.
 */
function toCallId(id: string, provider: string): string {
  if (provider === 'anthropic') return id.replace(/[^\w-]/g, '_')
  if (provider !== 'mistral' || /^[a-zA-Z0-9]{9}$/.test(id)) return id
  return shortHash(id)
}

/** Nine characters of base 36 from two 32-bit FNV-1a hashes: ids need only differ within one conversation. */
function shortHash(text: string): string {
  const digits = [0x811c9dc5, 0x050c5d1f].map((seed) => fnv1a(text, seed).toString(36).padStart(7, '0'))
  return digits.join('').slice(-9)
}

function fnv1a(text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
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
