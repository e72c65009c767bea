import type { CallToolResult, ContentBlock, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { ServerResult, ServerTool } from '../../runtime/ports/tool-servers.ts'

/** A tool in our words; null for one that can only be called as a task, which we do not do. */
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
  return { text, structured: result.structuredContent ?? null, is_error: result.isError === true }
}

/** Text as it is; whatever a model cannot read as text is named. */
function toText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'image' || block.type === 'audio') {
    return `[${block.type} ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`
  }
  if (block.type === 'resource_link') return `[${block.name}](${block.uri})`
  const { resource } = block
  return 'text' in resource ? resource.text : `[${resource.mimeType ?? 'binary'} ${resource.uri}]`
}
