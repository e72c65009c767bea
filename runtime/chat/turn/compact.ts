import { offlineProvider } from '../../models/models.ts'
import { ModelError, type ModelMessage, type ToolResultPart } from '../../ports/models.ts'
import { prompt } from '../../prompts/prompt.ts'
import { askContext, type CallContent, estimateInput, learnContext } from '../../providers/index.ts'
import { cut } from '../../tools/text.ts'
import { systemMark, wrapUntrusted } from '../../untrusted.ts'
import { draft, foldMessages, insertMessage, listMessages, summaryMark } from '../message-store.ts'
import type { Message } from '../schema.ts'
import { type Shown, toModelMessages } from './prompt.ts'
import { callForTurn, type Turn, tell, tellRetry } from './state.ts'

/** Context size of models that do not state theirs, in tokens. */
const usualContext = 128_000

/** From this many tokens on it matters how large an unknown context is. */
const worthAsking = 16_000

/** Asks the vendor's list of models for the size of an unknown context, once per provider. */
async function learnSize(turn: Turn, tokens: number): Promise<void> {
  const { context, access } = turn
  if (access.context_tokens !== null || tokens < worthAsking) return
  const context_tokens = await askContext(context, access)
  turn.access = { ...access, context_tokens }
}

/** The share of the room that the latest messages keep, and that folding must free at least. */
const keptShare = 1 / 8

interface Prompt {
  whole: CallContent
  shown: Shown
}

/** The history; its older part is folded into a summary before it fills the model's context. */
export async function compacted(turn: Turn, history: Message[], sent: Prompt): Promise<Message[]> {
  const before = estimateInput(sent.whole)
  await learnSize(turn, before)
  const room = roomOf(turn)
  if (before < room) return history
  const sizeOf = (messages: Message[]) =>
    estimateInput({ system: '', tools: [], messages: toModelMessages(messages, sent.shown) })
  const start = firstKept(history, room * keptShare, sizeOf)
  const folded = history.slice(0, start)
  const last = folded.at(-1)
  if (!last || sizeOf(folded) < room * keptShare) return history
  const summary = await storeSummary(turn, { folded, last, ...sent })
  turn.shortened.clear()
  const after_tokens = before - sizeOf(folded) + sizeOf([summary])
  tell(turn, { event: 'compaction', data: { before_tokens: before, after_tokens } })
  return [summary, ...history.slice(start)]
}

/** The index of the first message that is kept: what fits, and the person's last message with all that follows it. */
function firstKept(history: Message[], max: number, sizeOf: (messages: Message[]) => number): number {
  const asked = history.findLastIndex(({ role }) => role === 'user')
  let start = asked < 0 ? history.length : asked
  let left = max - sizeOf(history.slice(start))
  for (; start > 0; start -= 1) {
    left -= sizeOf(history.slice(start - 1, start))
    if (left < 0) break
  }
  return start
}

/** Tokens that a prompt may have. */
const roomOf = ({ access, settings }: Turn): number =>
  ((access.context_tokens ?? usualContext) * settings.compaction_pct) / 100

/** Characters that are kept of a tool's result when there is no room for it. */
const keptOfResult = 400

/** A prompt that was cut is this share of the room: the next steps then need no other cut, and vendors keep their cache. */
const cutShare = 3 / 4

/**
 * The content of a call, cut to the model's context: the results of tools, the oldest first, of earlier answers and of
 * this one. What is cut stays cut in the turn; the latest results are cut only if nothing else helps. The stored results
 * stay whole.
 */
export function fitted(turn: Turn, content: CallContent): CallContent {
  // The offline model reads results whole and has no context to fill.
  if (turn.access.provider === offlineProvider) return content
  const cutContent = withShortened(turn, content)
  const tokens = estimateInput(cutContent)
  const room = roomOf(turn)
  if (tokens <= room) return cutContent
  const latest = content.messages.findLastIndex(({ role }) => role === 'tool')
  let over = (tokens - room * cutShare) * 4
  const shorten = (index: number) => {
    const message = cutContent.messages[index]
    if (message?.role !== 'tool') return
    for (const [place, part] of message.content.entries()) {
      const { length } = textOf(part)
      const kept = Math.max(keptOfResult, length - Math.ceil(over))
      if (over <= 0 || length <= kept) continue
      over -= length - kept
      turn.shortened.set(`${index}/${place}`, kept)
    }
  }
  for (let index = 0; index < latest; index += 1) shorten(index)
  over -= room * (1 - cutShare) * 4
  shorten(latest)
  return withShortened(turn, content)
}

function withShortened({ shortened }: Turn, content: CallContent): CallContent {
  if (shortened.size === 0) return content
  const messages = content.messages.map((message, index) => {
    if (message.role !== 'tool') return message
    const parts = message.content.map((part, place) => {
      const kept = shortened.get(`${index}/${place}`)
      return kept === undefined ? part : { ...part, output: cutText(textOf(part), kept) }
    })
    return { ...message, content: parts }
  })
  return { ...content, messages }
}

const textOf = ({ output }: ToolResultPart): string => (typeof output === 'string' ? output : JSON.stringify(output))

/** A result that is cut inside a quotation of untrusted text still ends the quotation. */
function cutText(text: string, max: number): string {
  const end = text.endsWith('\n</untrusted>') ? '\n</untrusted>' : ''
  return `${cut(text, max).text}${end}\n[${text.length - max} characters are left out here: the model has no room for them]`
}

/** After a prompt was too long: the size that the vendor named, or less than what was sent. */
export async function shrinkContext(turn: Turn, error: ModelError, sent: number): Promise<void> {
  const { context, access } = turn
  if (error.context_tokens) await learnContext(context, access, error.context_tokens)
  const size = error.context_tokens ?? access.context_tokens ?? usualContext
  turn.access = { ...access, context_tokens: Math.min(size, Math.floor(sent * 0.9)) }
}

interface Folding extends Prompt {
  folded: Message[]
  last: Message
}

/** Stores the summary after the folded messages: its id sorts right after the last of them. */
async function storeSummary(turn: Turn, folding: Folding): Promise<Message> {
  const { context, conversation } = turn
  const { folded, last } = folding
  const text = await summaryOf(turn, folding)
  const content = prompt('summary', {
    // It may repeat what untrusted text said.
    summary: conversation.tainted ? wrapUntrusted(text) : text,
    requests: await requestsBefore(turn, last),
  })
  const summary: Message = {
    ...draft(context, conversation.id, { role: 'system', content }),
    id: `${last.id}${summaryMark}`,
    created_at: last.created_at,
  }
  const data = { conversation_id: conversation.id, folded: folded.length }
  const statements = [foldMessages(conversation.id, last.id), insertMessage(summary)]
  await context.commit(statements, [{ type: 'conversation.compacted', data }])
  return summary
}

/** Characters of the person's messages that a summary repeats, together and of one, and how many are searched. */
const maxRequests = 8_000
const maxRequest = 2_000
const searched = 200

/** The latest messages of the person that are folded, also those folded before, word for word. */
async function requestsBefore({ context, conversation }: Turn, last: Message): Promise<string> {
  const page = { before: `${last.id}${summaryMark}`, limit: searched }
  const said = (await listMessages(context, conversation.id, page)).filter(({ role }) => role === 'user')
  const lines: string[] = []
  let left = maxRequests
  for (const { content, created_at } of said.reverse()) {
    const text = content.length > maxRequest ? cutText(content, maxRequest) : content
    left -= text.length
    if (left < 0) break
    lines.unshift(`${created_at.slice(0, 16).replace('T', ' ')} UTC:\n${text}`)
  }
  return lines.join('\n\n')
}

/** Tokens that a summary may have. */
const summaryRoom = 4_000

async function summaryOf(turn: Turn, { folded, whole }: Folding): Promise<string> {
  if (turn.access.provider === offlineProvider) {
    const { summarise } = await import('../../english/summarise.ts')
    return summarise(folded.map(({ content }) => content).join('\n\n'), { count: 20 })
  }
  const summary = (await summaryOnPrefix(turn, whole)) || (await summaryOfText(turn, folded))
  if (summary.trim() === '') throw new ModelError('context_overflow', 'The conversation could not be summarised')
  return summary
}

/** Asks at the end of the prompt that was to be sent, so that the vendor has cached it; empty if it does not fit. */
async function summaryOnPrefix(turn: Turn, whole: CallContent): Promise<string> {
  const size = turn.access.context_tokens ?? usualContext
  if (estimateInput(whole) + summaryRoom > size) return ''
  const notes = `${systemMark}${prompt('folding')}`
  try {
    return await ask(turn, { ...whole, messages: [...whole.messages, { role: 'user', content: [], notes }] })
  } catch (thrown) {
    if (thrown instanceof ModelError && (thrown.code === 'context_overflow' || thrown.refuses)) return ''
    throw thrown
  }
}

async function summaryOfText(turn: Turn, folded: Message[]): Promise<string> {
  const text = toModelMessages(folded).map(readable).join('\n\n')
  const length = Math.max(4_000, Math.floor((turn.access.context_tokens ?? usualContext) * 0.9 * 4))
  let summary = ''
  for (let start = 0; start < text.length; start += length) {
    const part = `${summary && `${summary}\n\n`}${text.slice(start, start + length)}`
    const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: part }] }]
    summary = await ask(turn, { system: prompt('folding'), messages, tools: [] })
  }
  return summary
}

async function ask(turn: Turn, content: CallContent): Promise<string> {
  let said = ''
  for await (const event of callForTurn(turn, content)) {
    if (event.type === 'text') said += event.text
    else if (event.type === 'retry') tellRetry(turn, event)
  }
  return said
}

function readable({ role, content }: ReturnType<typeof toModelMessages>[number]): string {
  const parts = content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part)))
  return `${role}: ${parts.join('\n')}`
}
