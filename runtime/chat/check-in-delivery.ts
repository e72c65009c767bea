import type { Context } from '../context.ts'
import { notFound } from '../fault.ts'
import { wonRace } from '../lost-race.ts'
import { wrapUntrusted } from '../untrusted.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import { insertWork } from '../work/store.ts'
import {
  deleteCheckIn,
  findCheckIn,
  markDelivering,
  openCheckIns,
  publicCheckIn,
  type StoredCheckIn,
} from './check-in-store.ts'
import { changed, nextDelivery } from './check-ins.ts'
import { findConversation } from './conversation-store.ts'
import { requireOwnConversation } from './conversations.ts'
import { draft, insertMessage } from './message-store.ts'
import { type CheckIn, checkInKind } from './schema.ts'
import { newTurn } from './send.ts'
import { stopTurn } from './turns.ts'

/**
 * Turns a due check-in into a turn of its conversation, after the turns that are queued there. Both are
 * stored in one commit, so a crash neither loses nor repeats it.
 */
export const checkInDelivery: WorkKind = {
  kind: checkInKind,
  // One at a time, so that the oldest comes first.
  max_running: 1,
  after_crash: 'retry',
  async run(work, context) {
    const checkIn = await findCheckIn(context, work.subject)
    if (checkIn?.status !== 'pending') return { status: 'succeeded' }
    const at = await nextDelivery(context)
    if (at > context.clock.now()) return postpone(context, work.subject, at)
    // It may have been cancelled or delivered at the same moment.
    await wonRace(deliver(context, checkIn))
    return { status: 'succeeded' }
  },
}

/** The settings forbid the delivery now; a new unit tries again later. */
function postpone(context: Context, subject: string, due: number): WorkOutcome {
  return {
    status: 'succeeded',
    statements: [insertWork(context, { kind: checkInKind, subject, due }).statement],
  }
}

async function deliver(context: Context, checkIn: StoredCheckIn): Promise<void> {
  const tainted = (await findConversation(context, checkIn.conversation_id))?.tainted === true
  const content = reminder(checkIn, tainted)
  const note = draft(context, checkIn.conversation_id, { role: 'system', content })
  const turn = newTurn(context, checkIn.conversation_id)
  const written = await context.commit(
    [markDelivering(checkIn.check_in_id, turn.answer.id), insertMessage(note), ...turn.statements],
    [changed(checkIn)],
  )
  turn.begin(written)
}

/** Text that the agent wrote after untrusted text is marked as untrusted. */
function reminder({ waiting_on, estimate_basis, delay_minutes }: StoredCheckIn, tainted: boolean): string {
  const reason = `${waiting_on} (estimate: ${estimate_basis})`
  return `Check-in after ${delay_minutes} min. You were waiting on: ${tainted ? wrapUntrusted(reason) : reason}. ${howToCheck}`
}

const howToCheck =
  'Check the current state, tell the person what is new, and arm another check-in only if you are still waiting.'

/** Cancels one open check-in of a conversation, or a 404. */
export async function cancelCheckIn(context: Context, conversation: string, id: string): Promise<CheckIn> {
  await requireOwnConversation(context, conversation)
  const checkIn = await findCheckIn(context, id)
  const cancelled = checkIn?.conversation_id === conversation && (await cancel(context, checkIn))
  if (!checkIn || !cancelled) throw notFound(`An open check-in ${id}`)
  return publicCheckIn(checkIn)
}

/** Cancels every open check-in of a conversation. Returns how many. */
export async function cancelCheckIns(context: Context, conversation: string): Promise<number> {
  await requireOwnConversation(context, conversation)
  const open = await openCheckIns(context, conversation)
  const cancelled = await Promise.all(open.map((checkIn) => cancel(context, checkIn)))
  return cancelled.filter(Boolean).length
}

/** A check-in that is being delivered has a queued turn, which is stopped too. */
async function cancel(context: Context, checkIn: StoredCheckIn): Promise<boolean> {
  const deleted = context.commit([deleteCheckIn(checkIn.check_in_id)], [changed(checkIn)])
  if (!(await wonRace(deleted))) return false
  if (checkIn.message_id) await stopTurn(context, checkIn.message_id)
  return true
}
