import type { Message } from '../chat/index.ts'
import type { StoredEvent } from '../events/commit.ts'
import type { Host } from '../host.ts'

const ofMessages = ['message.received', 'message.sent', 'agent.run.failed']
const ofTools = ['tool.before', 'tool.after', 'tool.denied']

/**
 * An event as filters, templates and receivers see it: with the text of its message, or the input and output of its
 * tool call, and without secrets. The events themselves hold only ids, so that a deleted conversation leaves no text in the outbox.
 */
export async function withDetails(host: Host, event: StoredEvent): Promise<StoredEvent> {
  const isTool = ofTools.includes(event.type)
  const safe = { ...event, data: host.process.redaction.value(event.data) }
  if (!isTool && !ofMessages.includes(event.type)) return safe
  const data = safe.data as { message_id?: string; call_id?: string }
  if (data.message_id === undefined) return safe
  const { findMessage, textOf } = await import('../chat/index.ts')
  const message = await findMessage(host, data.message_id)
  if (!message) return safe
  const details = isTool ? callDetails(message, data.call_id) : textDetails(message, textOf)
  const entries = Object.entries(details).map(([name, value]) => [name, recorded(host, value)])
  return { ...safe, data: { ...data, ...Object.fromEntries(entries) } }
}

type TextOf = (parts: Message['parts']) => string

const textDetails = ({ role, content, parts, error }: Message, textOf: TextOf) => ({
  text: role === 'user' ? content : textOf(parts),
  ...(error && { error: error.message }),
})

function callDetails({ parts }: Message, id: string | undefined) {
  const call = parts.find((part) => part.type === 'tool_use' && part.id === id)
  const result = parts.find((part) => part.type === 'tool_result' && part.id === id)
  return {
    ...(call?.type === 'tool_use' && { input: call.input }),
    ...(result?.type === 'tool_result' && { output: result.output }),
  }
}

/** Maximum characters of a recorded value, because tools write whole files. */
const maxRecorded = 20_000

/** A value as it is recorded: without secrets, and truncated if it is long. */
export function recorded({ process }: Pick<Host, 'process'>, value: unknown): unknown {
  const safe: unknown = process.redaction.value(value)
  if (typeof safe === 'string') return safe.slice(0, maxRecorded)
  const text = JSON.stringify(safe) ?? ''
  return text.length > maxRecorded ? { beginning: text.slice(0, maxRecorded), characters: text.length } : safe
}
