import type { Context } from '../../context.ts'
import { notFound } from '../../fault.ts'
import { GuardFailed } from '../../ports/sql.ts'
import { requireConversation } from '../conversations.ts'
import { stopTurn } from '../stop.ts'
import { changed } from './arm.ts'
import type { CheckIn } from './schema.ts'
import { deleteCheckIn, findCheckIn, openCheckIns, publicCheckIn, type StoredCheckIn } from './store.ts'

/** Cancels one open check-in of a conversation, or a 404. */
export async function cancelCheckIn(context: Context, conversation: string, id: string): Promise<CheckIn> {
  await requireConversation(context, conversation)
  const checkIn = await findCheckIn(context, id)
  const cancelled = checkIn?.conversation_id === conversation && (await cancel(context, checkIn))
  if (!checkIn || !cancelled) throw notFound(`An open check-in ${id}`)
  return publicCheckIn(checkIn)
}

/** Cancels every open check-in of a conversation; how many there were. */
export async function cancelCheckIns(context: Context, conversation: string): Promise<number> {
  await requireConversation(context, conversation)
  const open = await openCheckIns(context, conversation)
  const cancelled = await Promise.all(open.map((checkIn) => cancel(context, checkIn)))
  return cancelled.filter(Boolean).length
}

/** One that waits for its conversation to be free has a turn in the queue, which goes with it. */
async function cancel(context: Context, checkIn: StoredCheckIn): Promise<boolean> {
  try {
    await context.commit([deleteCheckIn(checkIn.check_in_id)], [changed(checkIn)])
  } catch (thrown) {
    if (thrown instanceof GuardFailed) return false
    throw thrown
  }
  if (checkIn.message_id) await stopTurn(context, checkIn.message_id)
  return true
}
