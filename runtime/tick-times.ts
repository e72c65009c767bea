import { second } from './time.ts'

/** A host ticks at least this often, so that a clock set back or a lease of another daemon is noticed. */
export const longestWait = 60 * second
