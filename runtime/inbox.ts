import { z } from 'zod'
import type { Context } from './context.ts'

/** Something that does not go on, or is not used, before its owner has answered. */
export const Waiting = z.object({
  kind: z.enum(['approval', 'plan', 'phase', 'question', 'loop', 'workflow', 'device', 'pairing']),
  /** Of the thing that waits: an approval, project, loop, execution, device or pairing request. */
  id: z.string(),
  title: z.string(),
  detail: z.string(),
  asked_at: z.string(),
  /** The page of the web UI where it is answered. */
  href: z.string(),
})
export type Waiting = z.output<typeof Waiting>

/** All that waits for the caller, in every area, the latest first. */
export async function inboxOf(context: Context): Promise<Waiting[]> {
  const waiting = await Promise.all(context.areas.map((area) => area.waiting?.(context) ?? []))
  return waiting.flat().sort((left, right) => right.asked_at.localeCompare(left.asked_at))
}
