import { longestText } from '../files/attachments.ts'
import { isTextType } from '../files/sniff.ts'
import type { FilePart, ModelCall, ModelEvent } from '../ports/models.ts'

export type CallContent = Pick<
  ModelCall,
  'system' | 'messages' | 'tools' | 'temperature' | 'max_output_tokens'
>

/** About four characters to a token, the vendors' own rule of thumb for English. */
const tokensOf = (characters: number) => Math.ceil(characters / 4)

/** Characters that stand for the tokens of an image or document: 1,000 tokens. */
const fileLength = 4_000

/** What an answer is taken to be at least when its length is not limited further. */
const usualOutput = 1_000

/** Tokens that a call sends. */
export function estimateInput({ system, messages, tools }: CallContent): number {
  const lengths = messages.flatMap(({ content }) =>
    content.map((part) => (part.type === 'file' ? lengthOf(part) : JSON.stringify(part).length)),
  )
  return tokensOf(lengths.reduce((sum, length) => sum + length, system.length + JSON.stringify(tools).length))
}

/** A text counts by its length, as far as it is shown. */
const lengthOf = ({ mime_type, size_bytes, data }: FilePart): number =>
  isTextType(mime_type) ? Math.min(size_bytes ?? data.length, longestText) : fileLength

/** Tokens to reserve for the answer of an agent whose latest answers had at most `longest`. */
export function estimateOutput({ max_output_tokens }: CallContent, longest: number): number {
  const likely = Math.max(usualOutput, longest)
  return Math.min(max_output_tokens ?? likely, likely)
}

/** Tokens of what was said so far, for an answer that broke off before its counts came. */
export const estimateSaid = (characters: number): number => tokensOf(characters)

/**
 * Tokens of a text at most, near enough: outside of ASCII nearly every character is a token. What is spent is never
 * taken from this, but an answer is stopped by it when its budget is used up.
 */
export function mostTokensOf(event: ModelEvent): number {
  const text = wordsOf(event)
  const wide = text.match(/[\u0080-\uFFFF]/g)?.length ?? 0
  return wide + (text.length - wide) / 4
}

/** Characters that an event adds to the answer. */
export function charactersOf(event: ModelEvent): number {
  return wordsOf(event).length
}

function wordsOf(event: ModelEvent): string {
  if (event.type === 'text' || event.type === 'reasoning') return event.text
  return event.type === 'tool_call' ? event.name + JSON.stringify(event.input) : ''
}
