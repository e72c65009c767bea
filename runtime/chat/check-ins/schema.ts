import { z } from 'zod'

/** The longest wait: a week. */
export const longestDelay = 10_080

/** Open check-ins that one conversation may have. */
export const mostOpen = 5

/**
 * A promise to come back. `pending` is armed; `delivering` is due and waits for the conversation to be free.
 * `source` says who armed it: the agent, we for an agent that said it waits (`fallback`), or the daemon (`system`).
 */
export const CheckIn = z.object({
  check_in_id: z.string(),
  agent_id: z.string(),
  due_at: z.string(),
  delay_minutes: z.number().int(),
  waiting_on: z.string(),
  estimate_basis: z.string(),
  status: z.enum(['pending', 'delivering']),
  source: z.enum(['agent', 'fallback', 'system']),
  sequence: z.number().int(),
})
export type CheckIn = z.infer<typeof CheckIn>

export const NewCheckIn = z.object({
  delay_minutes: z.number().int().min(1).max(longestDelay).meta({ description: 'Minutes from now' }),
  waiting_on: z.string().trim().min(1).max(1_000).meta({ description: 'What you wait for' }),
  estimate_basis: z.string().trim().min(1).max(1_000).meta({ description: 'Why it should take that long' }),
})
export type NewCheckIn = z.infer<typeof NewCheckIn>
