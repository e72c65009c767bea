import type { Context } from '../context.ts'
import { ifUnreachable } from '../events/subscribe.ts'
import { notFound } from '../fault.ts'
import type { ServerEvent } from '../http/sse.ts'
import { processState } from '../process-state.ts'
import { second } from '../time.ts'
import { firstOf } from '../within.ts'
import { eventsOf, lastEventOf } from './answer.ts'
import { approvalsOfTurn, publicApproval } from './approval-store.ts'
import { findMessage, findStreamingMessage } from './message-store.ts'
import type { Message, StreamEvent } from './schema.ts'

/** Ended turns whose events are kept for clients that lost their connection shortly before the end. */
const maxEnded = 16
/** Characters of all ended turns that are kept. A client that asks for more gets a replay of the stored message. */
const maxEndedSize = 2_000_000

export class TurnLog {
  readonly message_id: string
  /** Whether this process runs or ran the turn. */
  live = false
  /** The parts of the stored message when it was replayed last. */
  replayed = ''
  readonly #epoch: string
  readonly #events: StreamEvent[] = []
  #ended = false
  #size = 0
  #changed = Promise.withResolvers<void>()

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

  /** Characters of the events' data, roughly. */
  get size(): number {
    return this.#size
  }

  /** Resolves with the next event, or when `wake` is called. */
  get changed(): Promise<void> {
    return this.#changed.promise
  }

  at(index: number): ServerEvent | undefined {
    const event = this.#events[index]
    return event && { id: `${this.message_id}.${this.#epoch}.${index + 1}`, ...event }
  }

  /** Events after the end are dropped. */
  emit(streamed: StreamEvent): void {
    if (this.#ended) return
    const { event, data } = streamed
    this.#events.push(streamed)
    this.#size += 'content' in data ? data.content.length : JSON.stringify(data).length
    this.#ended = event === 'done' || event === 'error'
    this.wake()
  }

  wake(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }

  /** The number of events that a client with this `lastEventId` has received; null if the id belongs to another log. */
  position(lastEventId: string): number | null {
    const [message, epoch, number] = lastEventId.split('.')
    const count = Number(number)
    if (message !== this.message_id || epoch !== this.#epoch || !Number.isInteger(count)) return null
    return Math.min(Math.max(count, 0), this.#events.length)
  }
}

/** The logs of the turns that this process runs or ran recently. */
export class LiveTurns {
  readonly #logs = new Map<string, TurnLog>()
  readonly #epoch: string
  #opened = 0

  /** @param epoch differs between processes, so that an event id of an earlier one is recognised */
  constructor(epoch: string) {
    this.#epoch = epoch
  }

  find(messageId: string): TurnLog | undefined {
    return this.#logs.get(messageId)
  }

  open(messageId: string): TurnLog {
    const open = this.#logs.get(messageId)
    if (open) return open
    this.#forgetEnded()
    // A log that is opened again numbers its events from 1, so the ids of the old log must not match.
    this.#opened += 1
    const log = new TurnLog(messageId, `${this.#epoch}-${this.#opened}`)
    this.#logs.set(messageId, log)
    return log
  }

  #forgetEnded(): void {
    let size = 0
    for (const [index, log] of [...this.#logs.values()]
      .filter(({ ended }) => ended)
      .reverse()
      .entries()) {
      size += log.size
      if (index >= maxEnded || size > maxEndedSize) this.#logs.delete(log.message_id)
    }
  }
}

/** The turns whose events this process has. */
export const liveTurns = processState(({ owner }) => new LiveTurns(owner))

export interface Attachment {
  log: TurnLog
  after: number
}

/** Follows the answer that was just requested, from its first event. */
export const attachToAnswer = async (context: Context, message: Message): Promise<Attachment> => ({
  log: await logOf(context, message),
  after: 0,
})

/** Like `attachToAnswer`, for a request with an `Idempotency-Key`, whose repeat follows the first answer. */
export async function attachToMessage(context: Context, id: string): Promise<Attachment> {
  const message = await findMessage(context, id)
  if (!message) throw notFound('The answer to the first request with this Idempotency-Key')
  return attachToAnswer(context, message)
}

/**
 * Where a returning client continues: after the event it names, else at the beginning of the running answer.
 * Null if nothing is running and nothing is left to replay.
 */
export async function attachToConversation(
  context: Context,
  id: string,
  lastEventId: string | null,
): Promise<Attachment | null> {
  const resumed = lastEventId === null ? null : await attachAfter(context, id, lastEventId)
  if (resumed) return resumed
  const running = await findStreamingMessage(context, id)
  return running && attachToAnswer(context, running)
}

async function attachAfter(context: Context, id: string, lastEventId: string): Promise<Attachment | null> {
  const message = await findMessage(context, lastEventId.split('.')[0] ?? '')
  if (message?.conversation_id !== id) return null
  const log = await logOf(context, message)
  const after = log.position(lastEventId) ?? 0
  return log.ended && after === log.length ? null : { log, after }
}

/** An answer that another process has made or begun is replayed from its stored message; a new one will emit its own events. */
async function logOf(context: Context, message: Message): Promise<TurnLog> {
  const log = liveTurns(context).open(message.id)
  const begun = message.status !== 'streaming' || message.parts.length > 0
  if (log.length === 0 && begun) await replay(context, log, message)
  return log
}

/** Fills an empty log with the events of a stored message. */
export async function replay(context: Pick<Context, 'sql'>, log: TurnLog, message: Message): Promise<void> {
  const approvals = message.parts.length === 0 ? [] : await approvalsOfTurn(context, message.id)
  log.replayed = outlineOf(message)
  for (const event of eventsOf(message)) log.emit(event)
  for (const approval of approvals.filter(({ status }) => status === 'pending'))
    log.emit({
      event: 'approval_required',
      data: { approval: publicApproval(approval), call_id: approval.call_id },
    })
  if (message.status !== 'streaming') log.emit(lastEventOf(message))
}

/** The parts without their texts: a text that grows is not worth a replay. */
const outlineOf = ({ parts }: Message): string =>
  parts.map((part) => `${part.type} ${'state' in part ? part.state : ''}`).join()

/** Milliseconds between looks at the stored message of a turn that another process may run. */
const lookEvery = 1 * second

/** Resolves when the log has changed. The turn of another process is replayed when it has made a step, and when it has ended. */
async function changeOf(context: Followed, log: TurnLog, signal: AbortSignal): Promise<void> {
  if (!context.process.shared || log.live) return log.changed
  await firstOf(context.clock, log.changed, { milliseconds: lookEvery, signal })
  if (log.live || log.ended || signal.aborted) return
  const message = await findMessage(context, log.message_id).catch(ifUnreachable)
  if (message === null) return log.emit({ event: 'error', data: deleted })
  if (message && (message.status !== 'streaming' || log.replayed !== outlineOf(message)))
    await replay(context, log, message)
}

const deleted = { code: 'cancelled', message: 'The conversation was deleted' } as const

type Followed = Pick<Context, 'process' | 'clock' | 'sql'>

/** The events after a position. Exactly one `done` or `error` ends them, whatever happens. */
export async function* followTurn(
  context: Followed,
  { log, after }: Attachment,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent, void> {
  const wake = () => log.wake()
  signal.addEventListener('abort', wake)
  try {
    for (let next = after; ; ) {
      for (let event = log.at(next); event; event = log.at(next)) {
        next += 1
        yield event
      }
      if (log.ended) return
      if (signal.aborted) return yield endedEarly(context.process.stopping, signal)
      await changeOf(context, log, signal)
    }
  } finally {
    // The signal may live as long as the process, and with it every listener.
    signal.removeEventListener('abort', wake)
  }
}

const endedEarly = (stopping: AbortSignal, signal: AbortSignal): ServerEvent => ({
  event: 'error',
  data: stopping.aborted
    ? {
        code: 'interrupted',
        message: 'The daemon is stopping; reopen this conversation after it has restarted',
      }
    : { code: 'cancelled', message: (signal.reason as Error).message },
})
