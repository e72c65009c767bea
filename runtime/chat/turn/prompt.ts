import { type Attached, withoutContent } from '../../files/attachments.ts'
import { recallNotes } from '../../memory/recall/notes.ts'
import type { ModelMessage, ToolResultPart as ModelToolResult } from '../../ports/models.ts'
import { clockIn } from '../../time.ts'
import { cut } from '../../tools/text.ts'
import { systemMark, untrustedRule, wrapUntrusted } from '../../untrusted.ts'
import { withoutResult } from '../answer.ts'
import type { FilePart, Message, Part, ToolResultPart, ToolUsePart } from '../schema.ts'
import type { Turn } from './state.ts'

/**
 * The instructions before the conversation; they hold nothing that changes, so that vendors can cache them.
 */
export function systemPrompt({ agent, tools }: Pick<Turn, 'agent' | 'tools'>): string {
  return [
    agent.system_prompt,
    `You are ${agent.name}, an agent of hearthd on its owner's own machine.`,
    untrustedRule,
    'Say plainly what you did, what failed and what you could not do.',
    ...tools.map((tool) => tool.prompt ?? ''),
  ]
    .filter((line) => line !== '')
    .join('\n\n')
}

/**
 * The current context for the model: the time of the turn and recalled memories. The same for all steps of a
 * turn.
 */
export function turnNotes({
  recalled,
  begun,
  timezone,
  conversation,
}: Pick<Turn, 'recalled' | 'begun' | 'timezone' | 'conversation'>): string {
  const { local, weekday } = clockIn(timezone, begun)
  const memories = recallNotes(recalled, wrapUntrusted)
  const mode = conversation.mode === 'plan' ? `\n\n${planMode}` : ''
  return `${systemMark}It is ${weekday}, ${local} (${timezone}).${mode}${memories && `\n\n${memories}`}`
}

const planMode =
  'This conversation is in plan mode: only tools that change nothing run. When the goal is clear, propose it as a project (tool project, action create), which starts only when the person approves its plan; without that tool, end with a numbered plan. Do none of it.'

const nothing: Attached = new Map()

/** The files of messages and of tools' results, in their order. */
export const filesOf = (parts: readonly Part[]): FilePart[] =>
  parts.flatMap((part) => {
    if (part.type === 'file') return [part]
    return part.type === 'steer' || part.type === 'tool_result' ? (part.files ?? []) : []
  })

type Said = Extract<ModelMessage, { role: 'user' }>

/** A person's message with its files. A file that was not read is represented by its name. */
const saidBy = (text: string, files: readonly FilePart[], attached: Attached): Said => ({
  role: 'user',
  content: [
    { type: 'text', text },
    ...files.map((file) => attached.get(file.file_id) ?? withoutContent(file)),
  ],
})

/** Stored messages as the model reads them; of earlier reasoning, only what its vendor expects back. */
export function toModelMessages(messages: readonly Message[], attached = nothing): ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'assistant') return answerMessages(message.parts.filter(isWanted), attached)
    if (message.content === '') return []
    const text = message.role === 'system' ? systemMark + message.content : message.content
    return [saidBy(text, filesOf(message.parts), attached)]
  })
}

const isWanted = (part: Part): boolean => part.type !== 'reasoning' || part.vendor_data !== undefined

/** The messages of one answer: each step is a message of the model and one with its tools' results. */
export function answerMessages(parts: readonly Part[], attached = nothing): ModelMessage[] {
  const results = new Map(parts.filter((part) => part.type === 'tool_result').map((part) => [part.id, part]))
  const messages: ModelMessage[] = []
  let calls: ToolUsePart[] = []
  let said: Extract<ModelMessage, { role: 'assistant' }>['content'] = []
  const flush = () => {
    // Vendors refuse reasoning that nothing follows.
    if (said.some(({ type }) => type !== 'reasoning')) messages.push({ role: 'assistant', content: said })
    if (calls.length > 0)
      messages.push({ role: 'tool', content: calls.map((made) => resultOf(made, results.get(made.id))) })
    const shown = filesOf(calls.flatMap(({ id }) => results.get(id) ?? []))
    if (shown.length > 0) messages.push(saidBy(`${systemMark}What the tools above show:`, shown, attached))
    said = []
    calls = []
  }
  const call = (part: ToolUsePart) => {
    const { id, tool: name, input, vendor_data } = part
    calls.push(part)
    said.push({ type: 'tool_call', id, name, input, vendor_data })
  }
  let answered = false
  for (const part of parts) {
    if (part.type === 'tool_result') answered = true
    if (!['text', 'reasoning', 'tool_use', 'steer'].includes(part.type)) continue
    if (answered || part.type === 'steer') flush()
    answered = false
    if (part.type === 'text') said.push({ type: 'text', text: bounded(part.text) })
    else if (part.type === 'reasoning') said.push(part)
    else if (part.type === 'tool_use') call(part)
    else if (part.type === 'steer') messages.push(saidBy(part.text, part.files ?? [], attached))
  }
  flush()
  return messages
}

/** Characters of one text or result that a model is sent. */
export const maxSent = 100_000

/** A text with its end left out if it is too long, and a note that says so. */
export function bounded(text: string): string {
  const { text: kept, truncated } = cut(text, maxSent)
  return truncated ? `${kept}\n[cut here: ${text.length - kept.length} more characters are left out]` : text
}

/** Every call must have a result, or the vendors refuse the whole conversation. */
function resultOf(call: ToolUsePart, result: ToolResultPart | undefined): ModelToolResult {
  const base = { type: 'tool_result' as const, id: call.id, name: call.tool }
  if (!result) return { ...base, output: withoutResult(call), is_error: true }
  return {
    ...base,
    output: result.untrusted ? wrapUntrusted(result.output) : result.output,
    is_error: result.is_error,
  }
}
