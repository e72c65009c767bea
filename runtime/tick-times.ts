import type { Host } from './host.ts'
import { second } from './time.ts'

/** Maximum time between ticks, so that a clock rollback is noticed. */
export const longestWait = 60 * second

/** Maximum milliseconds between ticks of a process that shares its database: what another one queued or left is noticed. */
const sharedWait = 5 * second

export const longestWaitOf = ({ process }: Pick<Host, 'process'>): number => (process.shared ? sharedWait : longestWait)
