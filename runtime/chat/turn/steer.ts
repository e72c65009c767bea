import { GuardFailed } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import type { Work } from '../../work/schema.ts'
import { endIdleWork, openWorkOfLane } from '../../work/store.ts'
import { recountMessages, refreshStatus } from '../conversation-store.ts'
import { deleteMessage, findAskedBefore, findMessage, markSteering, updateMessage } from '../message-store.ts'
import type { Turn } from './state.ts'

/**
 * Takes in what a person has said since the last step and wants read at once: the turn that waits for it in the queue
 * ends, its message becomes a part of this answer. What comes after the last step keeps its own turn, so nothing is
 * left without an answer.
 */
export async function adoptSteering(turn: Turn): Promise<void> {
  for (const work of await openWorkOfLane(turn.context, turn.conversation.id)) {
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
  context.process.turns.find(work.subject)?.emit('done', taken)
}
