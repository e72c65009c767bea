/** The door of scheduler: what its neighbours may use. */

// The input of a chain's next job.
export { chainInput } from './chain-runs.ts'
// Jobs as rows.
export { countJobs, findJob, findOwnJob, jobNames } from './job-store.ts'
// Jobs by their rules.
export { draftJob, removalOf } from './jobs.ts'
// The end of a run, as work.
export { endOf } from './kinds.ts'
// A new run of a job.
export { newRun } from './runs.ts'
// The wire format of jobs.
export { NewJob } from './schema.ts'
