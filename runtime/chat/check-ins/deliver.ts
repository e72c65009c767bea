import type { Context } from '../../context.ts'
import { GuardFailed } from '../../ports/sql.ts'
import type { WorkKind, WorkOutcome } from '../../work/kind.ts'
import { insertWork } from '../../work/store.ts'
import { draft } from '../draft.ts'
import { checkInKind } from '../kinds.ts'
import { insertMessage } from '../message-store.ts'
import { newTurn } from '../send.ts'
import { changed } from './arm.ts'
import { findCheckIn, markDelivering, type StoredCheckIn } from './store.ts'
import { nextDelivery } from './when.ts'

/**
 * A check-in whose time has come becomes a turn of its conversation, behind whatever runs there. That it did is
 * stored together with the turn, so a crash neither loses nor doubles it.
 */
export const checkInDelivery: WorkKind = {
  kind: checkInKind,
  // One after the other, so that the oldest comes first.
  max_running: 1,
  after_crash: 'retry',
  async run(work, context) {
    const checkIn = await findCheckIn(context, work.subject)
    if (checkIn?.status !== 'pending') return { status: 'succeeded' }
    const at = await nextDelivery(context)
    if (at > context.clock.now()) return putOff(context, work.subject, at)
    await deliver(context, checkIn).catch(alreadyDone)
    return { status: 'succeeded' }
  },
}

/** The settings forbid it now: another unit tries again when they may not any more. */
function putOff(context: Context, subject: string, due: number): WorkOutcome {
  return {
    status: 'succeeded',
    statements: [insertWork(context, { kind: checkInKind, subject, due }).statement],
  }
}

async function deliver(context: Context, checkIn: StoredCheckIn): Promise<void> {
  const note = draft(context, checkIn.conversation_id, { role: 'system', content: reminder(checkIn) })
  const turn = newTurn(context, checkIn.conversation_id)
  const written = await context.commit(
    [markDelivering(checkIn.check_in_id, turn.answer.id), insertMessage(note), ...turn.statements],
    [changed(checkIn)],
  )
  turn.begin(written)
}

const reminder = ({ waiting_on, estimate_basis, delay_minutes }: StoredCheckIn) =>
  `Check-in after ${delay_minutes} min. You were waiting on: ${waiting_on} (estimate: ${estimate_basis}). ` +
  'See how it stands, tell the person what is new, and arm another check-in only if you still wait.'

/** It was cancelled, or delivered by another, in this very moment. */
function alreadyDone(thrown: unknown): void {
  if (!(thrown instanceof GuardFailed)) throw thrown
}
