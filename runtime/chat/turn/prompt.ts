import { type Attached, withoutContent } from '../../files/index.ts'
import { findVendor } from '../../models/vendors/index.ts'
import type { ModelMessage, ToolResultPart as ModelToolResult } from '../../ports/models.ts'
import { prompt } from '../../prompts/prompt.ts'
import { clockIn, iso, minute } from '../../time.ts'
import { cut } from '../../tools/text.ts'
import { systemMark, untrustedRule, wrapUntrusted } from '../../untrusted.ts'
import { withoutResult } from '../answer.ts'
import type { FilePart, Message, NotePart, Part, ToolResultPart, ToolUsePart } from '../schema.ts'
import { type Recalled, recallNotes } from './recalled.ts'
import type { Turn } from './state.ts'

/** The instructions before the conversation; they hold nothing that changes, so that vendors can cache them. */
export function systemPrompt(
  { agent, conversation, instructions, tools, person, language }: Omit<Told, 'about' | 'begun' | 'timezone'>,
  withoutTools = false,
): string {
  const { kind } = conversation
  return prompt('agent', {
    instructions,
    agent: agent.name,
    questions: questionsOf(conversation),
    place: kind === 'channel' ? prompt('channel') : '',
    untrusted: untrustedRule,
    person,
    language,
    tools: [withoutTools ? prompt('without-tools') : '', ...tools.map((tool) => tool.prompt ?? '')]
      .filter((text) => text !== '')
      .join('\n\n'),
  })
}

/** What an agent does if something is missing; tasks and loops are told in their own words. */
function questionsOf({ kind, project_id }: Told['conversation']): string {
  if (kind === 'user' || kind === 'channel') return prompt('questions')
  return kind === 'loop' || project_id !== null ? '' : prompt('unattended')
}

type Told = Pick<
  Turn,
  'agent' | 'conversation' | 'instructions' | 'about' | 'tools' | 'person' | 'language' | 'begun' | 'timezone'
>

/** What holds for the next part of a turn: what it is about, the time, and what the agent may do. */
export function noteOf({ about, begun, timezone, conversation }: Told): NotePart {
  const { local, weekday } = clockIn(timezone, begun)
  return {
    type: 'note',
    text: `${about && `${about}\n\n`}It is ${weekday}, ${local} (${timezone}). ${rulesOf(conversation)}`,
    at: iso(begun),
  }
}

function rulesOf({ mode, execution_mode }: Told['conversation']): string {
  return mode === 'agent' ? prompt(`may-${execution_mode}`) : prompt(`mode-${mode}`)
}

/** A turn that continues after this long, in milliseconds, is told the time again. */
const maxNoteAge = 30 * minute

/** Whether the model must be told the time or its rules: at the start, and if they have changed during a wait. */
export function needsNote({ message, conversation, begun }: Pick<Turn, 'message' | 'conversation' | 'begun'>): boolean {
  const last = message.parts.findLast((part) => part.type === 'note')
  return !last || begun - Date.parse(last.at) > maxNoteAge || !last.text.endsWith(rulesOf(conversation))
}

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
  content: [{ type: 'text', text }, ...files.map((file) => attached.get(file.file_id) ?? withoutContent(file))],
})

/** What a prompt shows besides the stored messages. */
export interface Shown {
  attached?: Attached
  /** The memories of answers, by answer. */
  recalled?: ReadonlyMap<string, readonly Recalled[]>
  /** Whether earlier reasoning is kept that its vendor has not signed. */
  reasoning?: boolean
}

/** Vendors that want reasoning back want it as long as the conversation lasts. */
export const shownIn = ({ recalled, access }: Turn): Shown => ({
  recalled,
  reasoning: findVendor(access.provider)?.takes_reasoning === true || !!access.arguments?.reasoning_content,
})

/** Stored messages as the model reads them. A prompt begins with the one before it, byte for byte, so that vendors cache it. */
export function toModelMessages(messages: readonly Message[], shown: Shown = {}): ModelMessage[] {
  const { attached = nothing, recalled, reasoning = false } = shown
  const all = messages.flatMap((message): ModelMessage[] => {
    const { id, role, content, parts, status } = message
    if (role === 'assistant') {
      const isWanted = (part: Part) =>
        part.type !== 'reasoning' || part.vendor_data !== undefined || reasoning || status === 'streaming'
      return answerMessages(parts.filter(isWanted), attached, recalled?.get(id))
    }
    if (content === '') return []
    const text = role === 'system' ? systemMark + content : content
    return [saidBy(text, filesOf(parts), attached)]
  })
  return all.reduce<ModelMessage[]>(joinNotes, [])
}

/** Notes belong to the message of the person before them. */
function joinNotes(messages: ModelMessage[], message: ModelMessage): ModelMessage[] {
  const last = messages.at(-1)
  const isNote = message.role === 'user' && message.content.length === 0
  if (!isNote || last?.role !== 'user') return [...messages, message]
  const memories = (last.memories ?? 0) + (message.memories ?? 0)
  return messages.with(-1, {
    ...last,
    notes: [last.notes, message.notes].filter(Boolean).join('\n\n'),
    ...(memories > 0 && { memories }),
  })
}

/** The messages of one answer: each step is a message of the model and one with its tools' results. */
export function answerMessages(
  parts: readonly Part[],
  attached = nothing,
  recalled: readonly Recalled[] = [],
): ModelMessage[] {
  const results = new Map(parts.filter((part) => part.type === 'tool_result').map((part) => [part.id, part]))
  const messages: ModelMessage[] = []
  let memories = recallNotes(recalled, wrapUntrusted)
  let calls: ToolUsePart[] = []
  let said: Extract<ModelMessage, { role: 'assistant' }>['content'] = []
  const flush = () => {
    // Vendors refuse reasoning that nothing follows.
    if (said.some(({ type }) => type !== 'reasoning')) messages.push({ role: 'assistant', content: said })
    if (calls.length > 0)
      messages.push({ role: 'tool', content: calls.map((made) => resultOf(made, results.get(made.id))) })
    const files = filesOf(calls.flatMap(({ id }) => results.get(id) ?? []))
    if (files.length > 0) messages.push(saidBy(`${systemMark}What the tools above show:`, files, attached))
    said = []
    calls = []
  }
  const call = (part: ToolUsePart) => {
    const { id, tool: name, input, vendor_data } = part
    calls.push(part)
    said.push({ type: 'tool_call', id, name, input, vendor_data })
  }
  const note = (text: string) => {
    const notes = prompt('note', { text, memories })
    messages.push({ role: 'user', content: [], notes, ...(memories && { memories: memories.length }) })
    memories = ''
  }
  let answered = false
  for (const part of parts) {
    if (part.type === 'tool_result') answered = true
    if (!['text', 'reasoning', 'tool_use', 'steer', 'note'].includes(part.type)) continue
    if (answered || part.type === 'steer' || part.type === 'note') flush()
    answered = false
    if (part.type === 'text') said.push({ type: 'text', text: bounded(part.text) })
    else if (part.type === 'reasoning') said.push(part)
    else if (part.type === 'tool_use') call(part)
    else if (part.type === 'note') note(part.text)
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
