import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  type CallToolResult,
  type ContentBlock,
  type ElicitRequest,
  type ElicitRequestFormParams,
  ErrorCode,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import type { ServerQuestion, ServerResult, ServerTool, ToolServerAddress } from '../../runtime/ports/tool-servers.ts'

/** A tool in the form of the port; null for one that can only be called as a task, which is not supported. */
export function toServerTool(tool: Tool): ServerTool | null {
  if (tool.execution?.taskSupport === 'required') return null
  return {
    name: tool.name,
    title: tool.title ?? tool.annotations?.title ?? null,
    description: tool.description ?? '',
    input_schema: tool.inputSchema,
    read_only: tool.annotations?.readOnlyHint ?? null,
    destructive: tool.annotations?.destructiveHint ?? null,
  }
}

export function toServerResult(result: CallToolResult): ServerResult {
  const text = result.content.map(toText).join('\n')
  const images = result.content.flatMap((block) =>
    block.type === 'image' ? [{ mime_type: block.mimeType, data: block.data }] : [],
  )
  return {
    text,
    ...(images.length > 0 && { images }),
    structured: result.structuredContent ?? null,
    is_error: result.isError === true,
  }
}

/** Characters of the schema of a form, as JSON. */
const maxForm = 50_000

/** A question in the form of the port. Throws the protocol's error for one that nobody could answer. */
export function toQuestion(params: ElicitRequest['params']): ServerQuestion {
  const { message } = params
  if (params.mode === 'url') {
    if (!/^https?:\/\//i.test(params.url)) throw new McpError(ErrorCode.InvalidParams, 'The URL must be of a web page')
    return { message, url: params.url, schema: null }
  }
  const { properties, required = [] } = params.requestedSchema
  const members = Object.entries(properties).map(([name, property]) => [name, toMember(property)])
  const schema = { type: 'object', properties: Object.fromEntries(members), required }
  if (JSON.stringify(schema).length > maxForm) throw new McpError(ErrorCode.InvalidParams, 'The form is too large')
  return { message, url: null, schema }
}

/** Values with titles become an `enum` with `labels`. */
function toMember(property: ElicitRequestFormParams['requestedSchema']['properties'][string]): object {
  if ('oneOf' in property) {
    const { oneOf, ...member } = property
    return { ...member, ...titled(oneOf) }
  }
  if ('items' in property) {
    const { items } = property
    if (!('anyOf' in items)) return property
    return { ...property, items: { type: 'string', ...titled(items.anyOf) } }
  }
  if (!('enumNames' in property)) return property
  const { enumNames = [], ...member } = property
  const named = member.enum.map((value, index) => ({ const: value, title: enumNames[index] ?? value }))
  return { ...member, ...titled(named) }
}

const titled = (options: readonly { const: string; title: string }[]) => ({
  enum: options.map((option) => option.const),
  labels: Object.fromEntries(options.map((option) => [option.const, option.title])),
})

/** Text is kept; anything else is described. */
function toText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'image' || block.type === 'audio') {
    return `[${block.type} ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`
  }
  if (block.type === 'resource_link') return `[${block.name}](${block.uri})`
  const { resource } = block
  return 'text' in resource ? resource.text : `[${resource.mimeType ?? 'binary'} ${resource.uri}]`
}

const secretName = /key|token|secret|pass|pwd|auth|credential|cookie|session|dsn|connection/i

/** Long, and not a path, a URL or a sentence. */
const secretShape = /^[^\s/\\:.]{16,}$/

/**
 * Replaces the secrets of an address wherever they occur in text or JSON. A server is free to write its environment
 * into a result or an error; folders, hosts and other plain settings stay readable.
 */
export function maskFor(address: ToolServerAddress): <Value>(value: Value) => Value {
  const secrets = secretsOf(address.transport === 'stdio' ? address.env : address.headers)
  const mask = (value: unknown): unknown => {
    if (typeof value === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, '•••'), value)
    if (Array.isArray(value)) return value.map(mask)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mask(member)]))
  }
  return (value) => (secrets.length === 0 ? value : (mask(value) as typeof value))
}

function secretsOf(values: Readonly<Record<string, string>>): string[] {
  const secrets = Object.entries(values).flatMap(([name, value]) =>
    // In `Bearer abc`, both the whole value and the token are secret.
    [value, ...value.split(/\s+/).slice(1)].filter(
      (part) => (part.length >= 4 && secretName.test(name)) || secretShape.test(part),
    ),
  )
  return secrets.toSorted((left, right) => right.length - left.length)
}

const maxLength = 1_000

/** The reason of a failure, for people and models. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown).slice(0, maxLength)
  const { code } = thrown as Error & { code?: unknown }
  if (thrown instanceof McpError && thrown.code === ErrorCode.RequestTimeout) return 'It did not answer in time'
  if (code === 401 || code === 403) return `It rejected the credential (HTTP ${code})`
  const cause = thrown.cause instanceof Error ? thrown.cause : null
  const detail = cause ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : ''
  const text = detail === '' ? thrown.message : `${thrown.message}: ${detail}`
  return text.replace(/^MCP error -?\d+: /, '').slice(0, maxLength)
}

/** The server answered with an error: the connection itself works. */
export function isAnswer(thrown: unknown): boolean {
  if (thrown instanceof McpError) return thrown.code !== ErrorCode.ConnectionClosed
  const { code = 0 } = thrown instanceof StreamableHTTPError ? thrown : {}
  return code >= 400 && code < 500 && code !== 404
}

/** The server no longer knows the session, so it did not process the request. */
export const isSessionLost = (thrown: unknown): boolean => thrown instanceof StreamableHTTPError && thrown.code === 404
