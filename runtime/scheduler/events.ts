import type { EventInput } from '../events/event.ts'

/** A job is other than it was: for those who show it. */
export const jobChanged = (id: string): EventInput => ({ type: 'job.updated', data: { job_id: id } })
