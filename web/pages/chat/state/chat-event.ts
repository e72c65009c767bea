import type { StreamEvents } from '../../../../runtime/chat/schema.ts'
import type { ServerSentEvent } from './stream-parser.ts'

type Known = { [Name in keyof StreamEvents]: { id: string; event: Name; data: StreamEvents[Name] } }

/** An event of a chat stream, by its name. */
export type ChatEvent = Known[keyof StreamEvents]

const names: Record<keyof StreamEvents, true> = {
  message_start: true,
  token: true,
  reasoning: true,
  recall: true,
  tool_use: true,
  tool_result: true,
  approval_required: true,
  approval_resolved: true,
  fallback: true,
  steered: true,
  compaction: true,
  done: true,
  error: true,
}

/** What this page does not know, or cannot read, is null: a newer daemon may say more. */
export function chatEvent({ id, event, data }: ServerSentEvent): ChatEvent | null {
  if (!Object.hasOwn(names, event)) return null
  try {
    return { id, event, data: JSON.parse(data) } as ChatEvent
  } catch {
    return null
  }
}
