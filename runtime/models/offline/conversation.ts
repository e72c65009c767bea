import type { FilePart, ModelMessage, ToolResultPart } from '../../ports/models.ts'
import { readMessage, systemMark, unwrapUntrusted } from '../../untrusted.ts'
import { tidy } from './text.ts'
import type { Material, Outcome } from './types.ts'

export interface Turn {
  /** The latest message of the user; empty when there is none. */
  request: string
  /** Untrusted text inside the request: data, never an order. */
  untrusted: readonly string[]
  files: readonly FilePart[]
  /** Results of this turn's tool calls, in order. */
  outcomes: readonly Outcome[]
  /**
   * The assistant's last answer before this turn, if it contains only its own words: it may end in a
   * question.
   */
  said: string
  /** Everything the assistant said in this conversation. */
  history: string
  material: Material | undefined
}

/** Reads a conversation: the request, what was done for it so far, and what came before. */
export function readTurn(messages: readonly ModelMessage[]): Turn {
  const start = messages.findLastIndex(isPersons)
  const user = messages[start]
  const before = messages.slice(0, Math.max(start, 0))
  const said = before.filter((message) => message.role === 'assistant').map(messageText)
  const { request, data } = readMessage(user ? messageText(user) : '')
  return {
    request: tidy(request),
    untrusted: data,
    files: user?.role === 'user' ? user.content.filter((part) => part.type === 'file') : [],
    outcomes: outcomesOf(messages.slice(start + 1)),
    said: quotesNothing(before) ? (said.findLast((text) => text !== '') ?? '') : '',
    history: messages
      .filter((message) => message.role === 'assistant')
      .map(messageText)
      .join('\n'),
    material: lastMaterial(before, said),
  }
}

/** Notes of the daemon are in messages of the user too. */
const isPersons = (message: ModelMessage): boolean =>
  message.role === 'user' && !messageText(message).startsWith(systemMark)

/** Text from tools could contain a forged question, to which the owner's "yes" would then be an order. */
function quotesNothing(messages: readonly ModelMessage[]): boolean {
  const turn = messages.slice(messages.findLastIndex(isPersons) + 1)
  return outcomesOf(turn).every(({ name }) => name === 'list_jobs')
}

function messageText(message: ModelMessage): string {
  if (message.role === 'tool') return ''
  return message.content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n')
}

function outcomesOf(messages: readonly ModelMessage[]): Outcome[] {
  const inputs = new Map<string, unknown>()
  return messages.flatMap((message) => {
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'tool_call') inputs.set(part.id, part.input)
    return message.role === 'tool' ? message.content.map((part) => outcomeOf(part, inputs.get(part.id))) : []
  })
}

function outcomeOf({ id, name, output: raw, is_error }: ToolResultPart, input: unknown): Outcome {
  const output = unwrapUntrusted(raw)
  // Some hosts report a refused approval as a result rather than as an error.
  const refused =
    record(output).approved === false ||
    /^(?:rejected|refused|denied|expired|cancelled)$/.test(textField(output, 'status'))
  return { id, name, input: record(input), output, failed: is_error || refused }
}

/** The latest text that a tool returned, or else the latest answer: what "it" may mean in a new message. */
function lastMaterial(messages: readonly ModelMessage[], said: readonly string[]): Material | undefined {
  const material = outcomesOf(messages).map(materialOf).findLast(Boolean)
  const text = said.findLast(Boolean)
  return material ?? (text ? { title: 'my last answer', text } : undefined)
}

/** The text that a tool returned. Undefined when it failed or returned none. */
export function materialOf({ failed, name, output }: Outcome): Material | undefined {
  const fields = ['text', 'content', 'body'].map((key) => textField(output, key))
  const text = typeof output === 'string' ? output : (fields.find(Boolean) ?? '')
  if (failed || text === '') return undefined
  const url = textField(output, 'url')
  const title = textField(output, 'title') || textField(output, 'path') || url || name
  return url === '' ? { title, text } : { title, text, url }
}

/** Tools answer with JSON of their own, so every field is read with care. */
export const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

export function textField(value: unknown, key: string): string {
  const field = record(value)[key]
  return typeof field === 'string' || typeof field === 'number' ? String(field) : ''
}

/** The rows of a list: under one of the names, or the value itself. */
export function rows(value: unknown, ...names: string[]): Record<string, unknown>[] {
  const list = Array.isArray(value) ? value : names.map((name) => record(value)[name]).find(Array.isArray)
  return ((list ?? []) as unknown[]).map(record)
}
