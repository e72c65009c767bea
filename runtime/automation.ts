import { z } from 'zod'
import type { Context } from './context.ts'
import { RunSummary } from './run-summary.ts'

/** Something that works without being asked each time, whatever starts it. */
export const Automation = z.object({
  kind: z.enum([...RunSummary.shape.kind.exclude(['chat', 'project']).options, 'chain']),
  id: z.string(),
  name: z.string(),
  /** What starts it: a schedule in words, types of events, kinds of triggers. */
  starts: z.array(z.string()),
  /** What it does: its goal, description or kind of action. */
  does: z.string(),
  /** Null if it cannot be switched off. */
  enabled: z.boolean().nullable(),
  last_run_at: z.string().nullable(),
  last_status: z.string().nullable(),
  next_run_at: z.string().nullable(),
  /** The page of the web UI that shows it. */
  href: z.string(),
})
export type Automation = z.output<typeof Automation>

/** Of each kind at most. */
export const maxAutomations = 500

/** The caller's automations in every area: the next to run first, then the last that ran. */
export async function automationsOf(context: Context): Promise<Automation[]> {
  const all = (await Promise.all(context.areas.map((area) => area.automations?.(context) ?? []))).flat()
  const order = ({ next_run_at, last_run_at }: Automation) => next_run_at ?? last_run_at ?? ''
  const planned = all.filter((one) => one.next_run_at !== null)
  const others = all.filter((one) => one.next_run_at === null)
  return [
    ...planned.sort((left, right) => order(left).localeCompare(order(right))),
    ...others.sort((left, right) => order(right).localeCompare(order(left))),
  ]
}
