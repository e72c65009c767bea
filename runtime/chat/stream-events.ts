import type { Approval, RecallPart, StreamErrorCode, ToolResultState } from './schema.ts'

/** `data` of each event on a chat stream, by the event's name. */
export interface StreamEvents {
  message_start: { conversation_id: string; message_id: string; model: string; provider: string }
  token: { content: string }
  reasoning: { content: string }
  /** Before the first word, where memories stand in the prompt; and again at the end, when it is known what was used. */
  recall: { episodes: RecallPart['episodes'] }
  tool_use: { id: string; tool: string; input: unknown; summary: string }
  tool_result: {
    id: string
    tool: string
    output: unknown
    is_error: boolean
    state: ToolResultState
    duration_ms: number
  }
  /** `call_id` is the `id` of the `tool_use` that waits for the answer. */
  approval_required: { approval: Approval; call_id: string }
  approval_resolved: { approval: Approval }
  fallback: { from: string; to: string; reason: string }
  /** The answer has taken in what a person said meanwhile; the stream of that message ends with `done`. */
  steered: { message_id: string; text: string }
  compaction: { before_tokens: number; after_tokens: number }
  done: { message_id: string; input_tokens: number; output_tokens: number; total_tokens: number }
  error: { code: StreamErrorCode; message: string }
}
