import { event } from '../../events/event.ts'
import { type Attached, isTextType, leftOut, readAttachments } from '../../files/index.ts'
import { wonRace } from '../../lost-race.ts'
import { type FinishReason, ModelError, type ModelEvent, type ReasoningPart } from '../../ports/models.ts'
import { prompt } from '../../prompts/prompt.ts'
import {
  type Adjusted,
  type CallContent,
  type CallEvent,
  estimateInput,
  readsFiles,
  refusedBy,
  rememberRefusals,
} from '../../providers/index.ts'
import { iso, second } from '../../time.ts'
import { requestedTools } from '../../tools/find-tools.ts'
import type { Work } from '../../work/schema.ts'
import { listWork } from '../../work/select.ts'
import { endIdleWork } from '../../work/store.ts'
import { changeCall, openCalls, signReasoning, textOf } from '../answer.ts'
import { recountMessages, refreshStatus } from '../conversation-store.ts'
import { liveTurns } from '../live.ts'
import { deleteMessage, findAskedBefore, findMessage, historyBefore, markSteering } from '../message-store.ts'
import type { Message } from '../schema.ts'
import { compacted, fitted, shrinkContext } from './compact.ts'
import { contentOf } from './content.ts'
import { recallFor } from './memory.ts'
import { filesOf, shownIn, toModelMessages } from './prompt.ts'
import { callForTurn, record, save, say, type Turn, TurnError, tell, tellRetry } from './state.ts'
import { describeCall, isBroken } from './tool-step.ts'

/** Characters of one step's text: far above any useful answer. */
const maxAnswer = 1_000_000

/** Pieces of one answer that a model writes, each up to its limit of output tokens. */
const maxPieces = 5

/**
 * Calls the model and stores its output. An answer that its length cut continues; a prompt that is too long is folded and
 * sent again. Throws `ModelError` and `TurnError`.
 */
export async function modelStep(turn: Turn): Promise<void> {
  await adoptSteering(turn)
  for (let pieces = 1; (await writePiece(turn, pieces > 1)) === 'cut'; pieces += 1)
    if (pieces === maxPieces) throw tooLong(turn)
}

function tooLong({ message: { provider, model } }: Turn): TurnError {
  const text = `${provider}/${model} reached its limit of output tokens; the answer is incomplete`
  return new TurnError('interrupted', text, 'length')
}

async function writePiece(turn: Turn, continues: boolean): Promise<'ended' | 'cut'> {
  let said = turn.message.parts.length
  let sent: CallContent | null = null
  for (const mended = new Set<string>(); ; ) {
    try {
      sent = await contentFor(turn, continues)
      return await speak(turn, sent, continues)
    } catch (thrown) {
      const fault = thrown instanceof ModelError ? (thrown.refuses ?? thrown.code) : ''
      if (turn.message.parts.length > said || mended.has(fault)) throw thrown
      mended.add(fault)
      if (!(thrown instanceof ModelError) || !(await mend(turn, thrown, sent))) throw thrown
      said = turn.message.parts.length
    }
  }
}

/**
 * Prepares a turn to repeat the call without what the model has refused. Returns false if there is nothing to
 * leave out.
 */
async function mend(turn: Turn, error: ModelError, sent: CallContent | null): Promise<boolean> {
  const { context, access } = turn
  if (error.code === 'context_overflow') {
    await shrinkContext(turn, error, sent ? estimateInput(sent) : Number.POSITIVE_INFINITY)
    return true
  }
  if (error.refuses === 'tools' && sent?.tools.length) {
    rememberRefusals(context, access, ['tools'])
    say(turn, `*${access.model} takes no tools, so it answers without them.*\n\n`)
    return true
  }
  const files = turn.files.filter((id) => !refusedBy(context, access).has(id))
  if (error.refuses !== 'files' || files.length === 0) return false
  rememberRefusals(context, access, files)
  return true
}

async function contentFor(turn: Turn, isCut: boolean): Promise<CallContent> {
  const history = await historyBefore(turn.context, turn.conversation.id, turn.message.id)
  await recallFor(turn, history)
  turn.requested_tools = requestedTools([...history, turn.message].flatMap(({ parts }) => parts))
  const shown = { ...shownIn(turn), attached: await attachedTo(turn, history) }
  const whole = await contentOf(turn, toModelMessages([...history, turn.message], shown))
  const kept = await compacted(turn, history, { whole, shown })
  const folded = kept === history ? whole : await contentOf(turn, toModelMessages([...kept, turn.message], shown))
  const content = fitted(turn, folded)
  if (!isCut) return content
  return {
    ...content,
    messages: [...content.messages, { role: 'user', content: [], notes: prompt('continue') }],
  }
}

async function speak(turn: Turn, content: CallContent, continues: boolean): Promise<'ended' | 'cut'> {
  let characters = 0
  let end: 'ended' | 'cut' = 'ended'
  const saver = saveRegularly(turn)
  try {
    for await (const event of callForTurn(turn, content)) {
      if (event.type === 'finish') end = endOf(turn, event.reason)
      // It would part the pieces of the answer.
      else if (!continues || event.type !== 'reasoning') take(turn, event)
      if (event.type === 'text' || event.type === 'reasoning') characters += event.text.length
      if (characters > maxAnswer) throw new ModelError('interrupted', `The answer was cut at ${maxAnswer} characters`)
      saver.changed()
    }
  } finally {
    await saver.stop()
  }
  return end
}

/** The files of the conversation that the model reads. */
async function attachedTo(turn: Turn, history: Message[]): Promise<Attached> {
  const files = filesOf([...history, turn.message].flatMap(({ parts }) => parts))
  const refused = refusedBy(turn.context, turn.access)
  const reads = readsFiles(turn.access)
  const read = await readAttachments(turn.context, files, (type, id) => reads(type) && !refused.has(id))
  turn.files = [...read].filter(([, file]) => !isTextType(file.mime_type)).map(([id]) => id)
  const attached = new Map(read)
  for (const [id, file] of read)
    if (refused.has(id) && turn.files.includes(id)) attached.set(id, leftOut(file, 'this model has refused it'))
  return attached
}

function take(turn: Turn, event: Exclude<CallEvent, { type: 'finish' }>): void {
  const { type } = event
  if (type === 'text') say(turn, event.text)
  else if (type === 'reasoning') takeReasoning(turn, event)
  else if (type === 'tool_call') takeCall(turn, event)
  else if (type === 'fallback') {
    const { from, to, reason } = event
    tell(turn, { event: 'fallback', data: { from, to, reason } })
  } else if (type === 'retry') tellRetry(turn, event)
  else reportLeftOut(turn, event)
}

/** Settings of the agent, by the names that they have on the wire. */
const settingNames = new Map([
  ['temperature', 'temperature'],
  ['max_tokens', 'limit of output tokens'],
  ['max_completion_tokens', 'limit of output tokens'],
])

/** The person has set it, so they must know that it does not apply. */
function reportLeftOut(turn: Turn, { learned }: Adjusted): void {
  for (const [usual, name] of Object.values(learned).flatMap(Object.entries)) {
    const setting = settingNames.get(usual)
    if (setting && name === '')
      say(turn, `*${turn.access.model} takes no ${setting}, so that setting does not apply.*\n\n`)
  }
}

/** How a piece of the answer has ended. Throws if the vendor withheld it, or if it is empty. */
function endOf(turn: Turn, reason: FinishReason): 'ended' | 'cut' {
  const { message } = turn
  const name = `${message.provider}/${message.model}`
  if (reason === 'content_filter') throw new ModelError('content_filter', `${name} withheld the answer`)
  const open = openCalls(message)
  if (reason === 'length')
    for (const { id, input } of open)
      if (isBroken(input)) {
        const parts = changeCall(turn.message.parts, id, { input: { ...input, cut: true } })
        turn.message = { ...turn.message, parts }
      }
  if (open.length > 0) return 'ended'
  if (reason === 'length' && message.parts.at(-1)?.type === 'text') return 'cut'
  if (reason === 'length') throw tooLong(turn)
  if (textOf(message.parts).trim() === '' && message.parts.every(({ type }) => type !== 'tool_result'))
    throw new ModelError('interrupted', `${name} ended without an answer`)
  return 'ended'
}

function takeCall(turn: Turn, call: Extract<ModelEvent, { type: 'tool_call' }>): void {
  const { name: tool } = call
  const input = call.invalid === undefined ? call.input : { invalid_json: call.invalid }
  const { summary } = describeCall(turn.tools, tool, input)
  const id = uniqueCallId(turn, call.id)
  tell(turn, { event: 'tool_use', data: { id, tool, input, summary } })
  const { vendor_data } = call
  if (vendor_data) turn.message = { ...turn.message, parts: changeCall(turn.message.parts, id, { vendor_data }) }
}

/** Metadata that only the vendor reads back is not sent to clients. */
function takeReasoning(turn: Turn, { text, vendor_data }: ReasoningPart): void {
  if (text !== '') tell(turn, { event: 'reasoning', data: { content: text } })
  if (vendor_data) turn.message = { ...turn.message, parts: signReasoning(turn.message.parts, vendor_data) }
}

/** Some servers number the calls of each step from zero. */
function uniqueCallId({ message }: Turn, id: string): string {
  const taken = new Set(message.parts.filter((part) => part.type === 'tool_use').map((part) => part.id))
  if (id !== '' && !taken.has(id)) return id
  return `${id || 'call'}_${taken.size + 1}`
}

/** A crash loses at most this much of a streamed answer. */
const saveDelay = 1 * second

/**
 * Stores the answer within a second of every change, even if the model falls silent. `changed` throws if an
 * earlier save failed; after `stop` nothing more is written.
 */
function saveRegularly(turn: Turn): { changed(): void; stop(): Promise<void> } {
  const stopped = new AbortController()
  let next: Promise<void> | null = null
  let saving: Promise<void> | null = null
  let failed: { thrown: unknown } | null = null

  async function saveLater(): Promise<void> {
    const due = await turn.context.clock.after(saveDelay, stopped.signal).then(
      () => true,
      () => false,
    )
    next = null
    if (!due) return
    saving = save(turn).catch((thrown: unknown) => {
      failed = { thrown }
    })
  }

  return {
    changed() {
      if (failed) throw failed.thrown
      next ??= saveLater()
    },
    async stop() {
      stopped.abort(ended)
      await next
      await saving
    },
  }
}

/**
 * An explicit reason: without one, `abort` creates an exception with a stack trace, which takes half a
 * millisecond.
 */
const ended = new Error('The model has ended')

/**
 * Takes in messages that the person sent with `when_busy: steer` since the last step: the queued turn of such
 * a message ends, and the message becomes a part of this answer. What comes after the last step keeps its own
 * turn, so every message is answered.
 */
async function adoptSteering(turn: Turn): Promise<void> {
  for (const work of await listWork(turn.context, { lane: turn.conversation.id }))
    if (work.status === 'queued' && work.payload.steer === true) await adopt(turn, work)
}

async function adopt(turn: Turn, work: Work): Promise<void> {
  const { context, conversation, message } = turn
  const empty = await findMessage(context, work.subject)
  const question = empty && (await findAskedBefore(context, empty))
  if (!question) return
  const files = question.parts.filter((part) => part.type === 'file')
  const data = { message_id: question.id, text: question.content, ...(files.length > 0 && { files }) }
  const statements = [
    endIdleWork(context, work.id, 'cancelled'),
    deleteMessage(work.subject),
    markSteering(question.id, message.id),
    recountMessages(conversation.id),
    refreshStatus(conversation.id, iso(context.clock.now())),
  ]
  const events = [event('conversation.updated', { conversation_id: conversation.id })]
  // The message may have been stopped at the same moment.
  if (!(await wonRace(record(turn, { event: 'steered', data }, { statements, events })))) return
  const taken = { message_id: message.id, input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  liveTurns(context).find(work.subject)?.emit({ event: 'done', data: taken })
}
