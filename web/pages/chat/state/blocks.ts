import type {
  Approval,
  Message,
  Part,
  ToolResultPart,
  ToolResultState,
  ToolUsePart,
} from '../../../../runtime/chat/schema.ts'

export type ToolState = ToolResultState | 'running' | 'waiting' | 'not_run'

export interface ToolBlock {
  type: 'tool'
  id: string
  use: ToolUsePart
  result: ToolResultPart | null
  approval: Approval | null
  state: ToolState
}

/** A rendered piece of an answer; a tool call is combined with its approval and result. */
export type Block =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string; open: boolean }
  | { type: 'file'; file_id: string }
  | ToolBlock

export function blocksOf(message: Message, approvals: Readonly<Record<string, Approval>>): Block[] {
  const { parts } = message
  const streaming = message.status === 'streaming'
  const results = new Map(parts.filter((part) => part.type === 'tool_result').map((part) => [part.id, part]))
  const approvalIds = new Map(
    parts.filter((part) => part.type === 'approval').map((part) => [part.call_id, part.approval_id]),
  )

  const blocks = parts.flatMap((part, index): Block[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
    if (part.type === 'reasoning')
      return [{ type: 'reasoning', text: part.text, open: streaming && index === parts.length - 1 }]
    if (part.type === 'file') return [{ type: 'file', file_id: part.file_id }]
    if (part.type !== 'tool_use') return []
    const result = results.get(part.id) ?? null
    const approval = approvals[approvalIds.get(part.id) ?? ''] ?? null
    return [{ type: 'tool', id: part.id, use: part, result, approval, state: toolState(part, result, streaming) }]
  })
  if (blocks.length === 0 && message.content.trim() !== '') return [{ type: 'text', text: message.content }]
  return blocks
}

/** A call without a result in a finished message was interrupted: it may have run (`unknown`) or not (`not_run`). */
function toolState(use: ToolUsePart, result: ToolResultPart | null, streaming: boolean): ToolState {
  if (result?.state && result.state !== 'done') return result.state
  if (use.state === 'denied' || use.state === 'expired' || use.state === 'unknown') return use.state
  if (result) return result.is_error ? 'error' : 'done'
  if (use.state === 'done') return 'done'
  if (streaming) return use.state === 'waiting' ? 'waiting' : 'running'
  return use.state === 'started' ? 'unknown' : 'not_run'
}

/** True while an answer shows nothing yet, or waits for the model after a tool call. */
export function isThinking(message: Message): boolean {
  if (message.status !== 'streaming') return false
  const last: Part | undefined = message.parts.at(-1)
  return last === undefined || ['recall', 'note', 'tool_result'].includes(last.type)
}
