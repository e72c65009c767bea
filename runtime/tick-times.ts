import { second } from './time.ts'

/** Maximum time between ticks, so that a clock rollback or another daemon's expired lease is noticed. */
export const longestWait = 60 * second
