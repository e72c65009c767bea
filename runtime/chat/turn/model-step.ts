import { readAttachments } from '../../files/attachments.ts'
import { ModelError, type ModelEvent, type ModelMessage } from '../../ports/models.ts'
import { GuardFailed } from '../../ports/sql.ts'
import type { CallEvent } from '../../providers/call.ts'
import { iso, second } from '../../time.ts'
import { toSpec } from '../../tools/registry.ts'
import type { Work } from '../../work/schema.ts'
import { listWork } from '../../work/select.ts'
import { endIdleWork } from '../../work/store.ts'
import { recountMessages, refreshStatus } from '../conversation-store.ts'
import { liveTurns } from '../live.ts'
import {
  deleteMessage,
  findAskedBefore,
  findMessage,
  historyBefore,
  markSteering,
  updateMessage,
} from '../message-store.ts'
import type { ToolUsePart } from '../schema.ts'
import { compacted } from './compact.ts'
import { answerMessages, filesOf, systemPrompt, toModelMessages } from './prompt.ts'
import { callForTurn, save, say, type Turn } from './state.ts'
import { describeCall } from './tool-step.ts'

/** Lets the model speak once, and stores what it said. Throws `ModelError`. */
export async function modelStep(turn: Turn): Promise<void> {
  await adoptSteering(turn)
  const messages = await conversationSoFar(turn)
  const stored = storeAsItGrows(turn)
  try {
    for await (const event of speak(turn, messages)) {
      turn.context.signal.throwIfAborted()
      take(turn, event)
      stored.said()
    }
  } finally {
    await stored.end()
  }
}

async function conversationSoFar(turn: Turn): Promise<ModelMessage[]> {
  const history = await historyBefore(turn.context, turn.conversation.id, turn.message.id)
  const kept = await compacted(turn, history)
  const { parts } = turn.message
  const files = filesOf([...kept.flatMap((message) => message.parts), ...parts])
  const attached = await readAttachments(turn.context, files)
  return [...toModelMessages(kept, attached), ...answerMessages(parts, attached)]
}

function speak(turn: Turn, messages: ModelMessage[]): AsyncIterable<CallEvent> {
  const { agent } = turn
  return callForTurn(turn, {
    ...(agent.temperature === null ? {} : { temperature: agent.temperature }),
    ...(agent.max_output_tokens === null ? {} : { max_output_tokens: agent.max_output_tokens }),
    system: systemPrompt(turn),
    messages,
    tools: turn.tools.map(toSpec),
  })
}

function take(turn: Turn, event: CallEvent): void {
  if (event.type === 'text' || event.type === 'reasoning') say(turn, event.type, event.text)
  if (event.type === 'tool_call') takeCall(turn, event)
  if (event.type === 'fallback')
    turn.log.emit('fallback', { from: event.from, to: event.to, reason: event.reason })
  if (event.type === 'finish' && event.reason === 'content_filter')
    throw new ModelError('content_filter', 'The vendor withheld the answer')
}

function takeCall(turn: Turn, event: Extract<ModelEvent, { type: 'tool_call' }>): void {
  const input = event.invalid === undefined ? event.input : { invalid_json: event.invalid }
  const { summary } = describeCall(turn.tools, event.name, input)
  const id = uniqueCallId(turn, event.id)
  const part: ToolUsePart = { type: 'tool_use', id, tool: event.name, input, summary, state: 'proposed' }
  turn.message.parts.push(part)
  turn.log.emit('tool_use', { id, tool: event.name, input, summary })
}

/** Some servers number the calls of every step from zero. */
function uniqueCallId(turn: Turn, id: string): string {
  const taken = new Set(turn.message.parts.filter((part) => part.type === 'tool_use').map((part) => part.id))
  if (id !== '' && !taken.has(id)) return id
  return `${id || 'call'}_${taken.size + 1}`
}

/**
 * Takes in what a person has said since the last step and wants read at once: the turn that waits for it in the queue
 * ends, its message becomes a part of this answer. What comes after the last step keeps its own turn, so nothing is
 * left without an answer.
 */
export async function adoptSteering(turn: Turn): Promise<void> {
  for (const work of await listWork(turn.context, { lane: turn.conversation.id })) {
    if (work.status === 'queued' && work.payload.steer === true) await adopt(turn, work)
  }
}

async function adopt(turn: Turn, work: Work): Promise<void> {
  const { context, conversation, message, log } = turn
  const empty = await findMessage(context, work.subject)
  const asked = empty && (await findAskedBefore(context, empty))
  if (!asked) return
  const files = asked.parts.filter((part) => part.type === 'file')
  const steer = { type: 'steer' as const, message_id: asked.id, text: asked.content }
  const parts = [...message.parts, files.length > 0 ? { ...steer, files } : steer]
  const statements = [
    endIdleWork(context, work.id, 'cancelled'),
    deleteMessage(work.subject),
    markSteering(asked.id, message.id),
    updateMessage({ ...message, parts }),
    recountMessages(conversation.id),
    refreshStatus(conversation.id, iso(context.clock.now())),
  ]
  try {
    await context.commit(statements, [
      { type: 'conversation.updated', data: { conversation_id: conversation.id } },
    ])
  } catch (thrown) {
    // It was stopped in this very moment.
    if (thrown instanceof GuardFailed) return
    throw thrown
  }
  message.parts = parts
  log.emit('steered', { message_id: asked.id, text: asked.content })
  const taken = { message_id: message.id, input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  liveTurns(context).find(work.subject)?.emit('done', taken)
}

/** A crash loses at most this much of a streamed answer. */
const saveEvery = 1 * second

/**
 * Stores an answer while it grows: what was said is stored a second later, also when the model falls silent. `said`
 * throws what went wrong with the store; nothing is written any more once `end` has resolved.
 */
export function storeAsItGrows(turn: Turn): { said(): void; end(): Promise<void> } {
  const ended = new AbortController()
  let next: Promise<void> | null = null
  let saving: Promise<void> | null = null
  let failed: { thrown: unknown } | null = null

  async function saveLater(): Promise<void> {
    const due = await turn.context.clock.after(saveEvery, ended.signal).then(
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
    said() {
      if (failed) throw failed.thrown
      next ??= saveLater()
    },
    async end() {
      ended.abort()
      await next
      await saving
    },
  }
}
