import type { Context } from '../context.ts'
import type { ServerEvent } from '../http/sse.ts'
import type { TurnLog } from './live.ts'
import { findMessage, findStreamingMessage } from './message-store.ts'
import type { Message } from './schema.ts'
import { retell } from './turn/replay.ts'

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
  const log = context.process.turns.open(message.id)
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
