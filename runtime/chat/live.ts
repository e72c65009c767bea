import type { Context } from '../context.ts'
import type { ServerEvent } from '../http/sse.ts'
import { processState } from '../process-state.ts'
import { approvalsOfTurn, publicApproval } from './approval-store.ts'
import { findMessage, findStreamingMessage } from './message-store.ts'
import type { Message, StreamEvents } from './schema.ts'

/** Ended turns whose events are kept a while, for clients that were away for the last words. */
const keptAfterEnd = 16
/** Characters of all that is kept of ended turns. Whoever asks for more is told the stored message again. */
const mostKept = 2_000_000

/** What a turn has said so far, so that any number of clients can follow it from any place. */
export class TurnLog {
  readonly message_id: string
  readonly #epoch: string
  readonly #events: Omit<ServerEvent, 'id'>[] = []
  #ended = false
  #size = 0
  #wake = Promise.withResolvers<void>()

  constructor(messageId: string, epoch: string) {
    this.message_id = messageId
    this.#epoch = epoch
  }

  get ended(): boolean {
    return this.#ended
  }

  get length(): number {
    return this.#events.length
  }

  /** Characters of what it holds, without the few that each event needs. */
  get size(): number {
    return this.#size
  }

  get empty(): boolean {
    return this.#events.length === 0
  }

  emit<Name extends keyof StreamEvents>(event: Name, data: StreamEvents[Name]): void {
    if (this.#ended) return
    this.#events.push({ event, data })
    this.#size += 'content' in data ? data.content.length : JSON.stringify(data).length
    this.#ended = event === 'done' || event === 'error'
    this.#wakeFollowers()
  }

  /** Events after the first `after`, then new ones as they come, to the end of the turn or of `signal`. */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<ServerEvent, void> {
    const wake = () => this.#wakeFollowers()
    signal.addEventListener('abort', wake)
    try {
      for (let next = after; ; ) {
        for (let event = this.#events[next]; event; event = this.#events[next]) {
          next += 1
          yield { id: `${this.message_id}.${this.#epoch}.${next}`, ...event }
        }
        if (this.#ended || signal.aborted) return
        await this.#wake.promise
      }
    } finally {
      // A signal that is listened to lives as long as its sources, one of which is the whole process.
      signal.removeEventListener('abort', wake)
    }
  }

  #wakeFollowers(): void {
    const woken = this.#wake
    this.#wake = Promise.withResolvers<void>()
    woken.resolve()
  }

  /** How many events a client has that saw `lastEventId`; null when the id is of another log. */
  position(lastEventId: string): number | null {
    const [message, epoch, number] = lastEventId.split('.')
    const count = Number(number)
    if (message !== this.message_id || epoch !== this.#epoch || !Number.isInteger(count)) return null
    return Math.min(Math.max(count, 0), this.#events.length)
  }
}

/** The logs of the turns that this process runs, or ran lately. */
export class LiveTurns {
  readonly #logs = new Map<string, TurnLog>()
  readonly #epoch: string
  #opened = 0

  /** @param epoch differs from process to process, so that an id of an earlier one is recognised */
  constructor(epoch: string) {
    this.#epoch = epoch
  }

  find(messageId: string): TurnLog | undefined {
    return this.#logs.get(messageId)
  }

  open(messageId: string): TurnLog {
    const known = this.#logs.get(messageId)
    if (known) return known
    this.#forgetEnded()
    // A log that is opened anew numbers its events anew, so an id of the old one must not fit.
    this.#opened += 1
    const log = new TurnLog(messageId, `${this.#epoch}-${this.#opened}`)
    this.#logs.set(messageId, log)
    return log
  }

  #forgetEnded(): void {
    const latest = [...this.#logs.values()].filter((log) => log.ended).reverse()
    let size = 0
    for (const [index, log] of latest.entries()) {
      size += log.size
      if (index >= keptAfterEnd || size > mostKept) this.#logs.delete(log.message_id)
    }
  }
}

/** A place in the log of a turn from which a client goes on. */
export interface Attachment {
  log: TurnLog
  after: number
}

/** Follows the answer that was just asked for, from its first event. */
export async function attachToAnswer(context: Context, message: Message): Promise<Attachment> {
  return { log: await logOf(context, message), after: 0 }
}

/**
 * Where a returning client goes on: behind the event it names, else at the beginning of the answer in the making.
 * Null when nothing runs and nothing is left to replay.
 */
export async function attachToConversation(
  context: Context,
  id: string,
  lastEventId: string | null,
): Promise<Attachment | null> {
  const seen = lastEventId === null ? null : await attachAfter(context, id, lastEventId)
  if (seen) return seen
  const running = await findStreamingMessage(context, id)
  return running && attachToAnswer(context, running)
}

async function attachAfter(context: Context, id: string, lastEventId: string): Promise<Attachment | null> {
  const message = await findMessage(context, lastEventId.split('.')[0] ?? '')
  if (message?.conversation_id !== id) return null
  const log = await logOf(context, message)
  const after = log.position(lastEventId) ?? 0
  const over = log.ended && after === log.length
  return over ? null : { log, after }
}

/**
 * An earlier process made, or began, an answer that this one has no log of: the stored message is told again.
 * An answer that has not begun tells itself.
 */
async function logOf(context: Context, message: Message): Promise<TurnLog> {
  const log = liveTurns(context).open(message.id)
  const begun = message.status !== 'streaming' || message.parts.length > 0
  if (log.empty && begun) await retell(context, log, message)
  return log
}

/** The events from an attachment on. One `done` or `error` ends them, whatever happens. */
export async function* followTurn(
  context: Context,
  attachment: Attachment,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const { log, after } = attachment
  yield* log.follow(after, signal)
  if (log.ended) return
  const stopping = context.process.stopping.aborted
  const message = stopping
    ? 'The daemon is stopping; come back to this conversation after its start'
    : (signal.reason as Error).message
  yield { event: 'error', data: { code: stopping ? 'interrupted' : 'cancelled', message } }
}

/**
 * Tells a fresh log what a stored message already holds, so that a client can follow a turn that an earlier
 * process began. It begins with `message_start`, which means to a client: forget the parts you had.
 */
export async function retell(context: Pick<Context, 'sql'>, log: TurnLog, message: Message): Promise<void> {
  const { conversation_id, id: message_id } = message
  log.emit('message_start', {
    conversation_id,
    message_id,
    model: message.model ?? '',
    provider: message.provider ?? '',
  })
  for (const part of message.parts) {
    if (part.type === 'text') log.emit('token', { content: part.text })
    if (part.type === 'reasoning') log.emit('reasoning', { content: part.text })
    if (part.type === 'recall') log.emit('recall', { episodes: part.episodes })
    if (part.type === 'steer') log.emit('steered', { message_id: part.message_id, text: part.text })
    if (part.type === 'tool_use') {
      log.emit('tool_use', { id: part.id, tool: part.tool, input: part.input, summary: part.summary })
    }
    if (part.type === 'tool_result') {
      const { id, tool, output, is_error, duration_ms, state = is_error ? 'error' : 'done' } = part
      log.emit('tool_result', { id, tool, output, is_error, state, duration_ms })
    }
  }
  for (const approval of await approvalsOfTurn(context, message.id)) {
    if (approval.status === 'pending')
      log.emit('approval_required', { approval: publicApproval(approval), call_id: approval.call_id })
  }
  if (message.status !== 'streaming') lastWord(log, message)
}

/** What a stream ends with, for those who follow now and for those who ask later. */
export function lastWord(log: TurnLog, message: Message): void {
  const { id: message_id, input_tokens, output_tokens, error } = message
  const total_tokens = input_tokens + output_tokens
  if (error) log.emit('error', error)
  else log.emit('done', { message_id, input_tokens, output_tokens, total_tokens })
}

/** The turns whose events this process can replay. */
export const liveTurns = processState(({ owner }) => new LiveTurns(owner))
