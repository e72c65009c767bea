import { schedule } from '../scheduler/sweep.ts'
import type { WorkSource } from './source.ts'

/** The only list of what puts work into the queue by the clock. */
export const workSources: readonly WorkSource[] = [schedule]
