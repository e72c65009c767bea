import type { Context } from '../../context.ts'
import { changed, delivered } from './arm.ts'
import { deleteCheckIn, findCheckInOf } from './store.ts'

/** A turn that delivers a check-in has begun: the check-in is no longer open. */
export async function closeDelivered(context: Context, message: string): Promise<void> {
  const checkIn = await findCheckInOf(context, message)
  if (checkIn)
    await context.commit([deleteCheckIn(checkIn.check_in_id)], [changed(checkIn), delivered(checkIn)])
}
