import type { FilePart, ModelMessage, ToolResultPart } from '../../ports/models.ts'
import { separateUntrusted, unwrapUntrusted } from '../untrusted.ts'
import { failedOutcome, record, textField } from './outcome.ts'
import { tidy } from './text.ts'
import type { Material, Outcome } from './types.ts'

export interface Turn {
  /** The latest message of the user; empty when there is none. */
  request: string
  /** Untrusted text inside the request: data, never an order. */
  foreign: readonly string[]
  files: readonly FilePart[]
  /** What this turn's tool calls gave, in order. */
  outcomes: readonly Outcome[]
  /** The last thing the assistant said before this turn, when it is all its own words: a question may be in it. */
  said: string
  /** All the assistant ever said in this conversation. */
  history: string
  material: Material | undefined
}

/** Reads a conversation: the request, what was done for it so far, and what went before. */
export function readTurn(messages: readonly ModelMessage[]): Turn {
  const start = messages.findLastIndex((message) => message.role === 'user')
  const user = messages[start]
  const before = messages.slice(0, Math.max(start, 0))
  const said = before.filter((message) => message.role === 'assistant').map(messageText)
  const { own, foreign } = separateUntrusted(user ? messageText(user) : '')
  return {
    request: tidy(own),
    foreign,
    files: user?.role === 'user' ? user.content.filter((part) => part.type === 'file') : [],
    outcomes: outcomesOf(messages.slice(start + 1)),
    said: quotesNothing(before) ? (said.findLast((text) => text !== '') ?? '') : '',
    history: messages
      .filter((message) => message.role === 'assistant')
      .map(messageText)
      .join('\n'),
    material: lastMaterial(before),
  }
}

/** Text that tools brought could hold a forged question, to which the owner's "yes" would then be an order. */
function quotesNothing(messages: readonly ModelMessage[]): boolean {
  const turn = messages.slice(messages.findLastIndex((message) => message.role === 'user') + 1)
  return outcomesOf(turn).every(({ name }) => name === 'list_jobs' || name === 'ask_user')
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
  const outcomes: Outcome[] = []
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const part of message.content) if (part.type === 'tool_call') inputs.set(part.id, part.input)
    }
    if (message.role === 'tool')
      for (const part of message.content) outcomes.push(outcomeOf(part, inputs.get(part.id)))
  }
  return outcomes
}

function outcomeOf(part: ToolResultPart, input: unknown): Outcome {
  const output = unwrapUntrusted(part.output)
  return {
    id: part.id,
    name: part.name,
    input: record(input),
    output,
    failed: part.is_error || failedOutcome(output),
  }
}

/** The latest text that a tool brought, or else the latest answer: what "it" may mean in a new message. */
function lastMaterial(messages: readonly ModelMessage[]): Material | undefined {
  const brought = outcomesOf(messages).findLast((outcome) => !outcome.failed && outcomeMaterial(outcome))
  if (brought) return outcomeMaterial(brought)
  const text = messages
    .filter((message) => message.role === 'assistant')
    .map(messageText)
    .findLast(Boolean)
  return text ? { title: 'my last answer', text } : undefined
}

export function outcomeMaterial(outcome: Outcome): Material | undefined {
  const text =
    (typeof outcome.output === 'string' ? outcome.output : '') ||
    textField(outcome.output, 'text') ||
    textField(outcome.output, 'content') ||
    textField(outcome.output, 'body')
  if (text === '') return undefined
  const url = textField(outcome.output, 'url')
  const title = textField(outcome.output, 'title') || textField(outcome.output, 'path') || url || outcome.name
  return url === '' ? { title, text } : { title, text, url }
}
