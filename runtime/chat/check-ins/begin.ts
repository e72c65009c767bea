import type { Context } from '../../context.ts'
import type { WorkEnding } from '../../work/kind.ts'
import { changed, delivered } from './arm.ts'
import { deleteCheckIn, findCheckInOf } from './store.ts'

/** A turn that delivers a check-in has begun: the check-in is no longer open. */
export async function closeDelivered(context: Context, message: string): Promise<void> {
  const checkIn = await findCheckInOf(context, message)
  if (checkIn)
    await context.commit([deleteCheckIn(checkIn.check_in_id)], [changed(checkIn), delivered(checkIn)])
}

/** The same for a turn that ends without having begun: it is told in the conversation, so it does not come again. */
export async function withDelivered(
  context: Context,
  message: string,
  ending: WorkEnding,
): Promise<WorkEnding> {
  const checkIn = await findCheckInOf(context, message)
  if (!checkIn) return ending
  return {
    ...ending,
    statements: [...(ending.statements ?? []), deleteCheckIn(checkIn.check_in_id)],
    events: [...(ending.events ?? []), changed(checkIn), delivered(checkIn)],
  }
}
