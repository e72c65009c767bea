import { hour, second } from '../time.ts'
import type { Retry } from './schema.ts'

/**
 * Milliseconds before the try behind `attempt` (from 1). Pure; `random` is 0 or more and less than 1, and spreads the
 * tries by a tenth either way.
 */
export function retryDelay({ strategy, base_delay }: Retry, attempt: number, random: number): number {
  const factor = { fixed: 1, linear: attempt, exponential: 2 ** (attempt - 1) }[strategy]
  return Math.min(hour, Math.round(base_delay * second * factor * (0.9 + 0.2 * random)))
}
