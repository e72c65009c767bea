import type { Message } from '../../chat/schema.ts'

/** What a person said and the answer to it. */
export interface Asked {
  asked: Message
  answer: Message
  /** How many messages of persons stand before it. */
  position: number
}

/**
 * The exchanges of a conversation, oldest first: a message of a person with the whole answer right behind it. Answers
 * to notes of the daemon, such as check-ins, answer nobody; what a person added meanwhile belongs to its answer.
 */
export function exchangesOf(messages: readonly Message[]): Asked[] {
  const steered = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'steer' ? part.message_id : []))),
  )
  const found: Asked[] = []
  let position = 0
  let last: Message | null = null
  for (const message of messages) {
    if (isSummary(message)) continue
    if (
      message.role === 'assistant' &&
      message.status === 'complete' &&
      last?.role === 'user' &&
      !steered.has(last.id)
    )
      found.push({ asked: last, answer: message, position: position - 1 })
    if (message.role === 'user') position += 1
    last = message
  }
  return found
}

/** The summary of a folded conversation stands behind the last message that was folded, with its id and one digit more. */
const isSummary = ({ role, id, content }: Message) =>
  role === 'system' && id.endsWith('0') && content.startsWith('Summary of the conversation so far:')
