import { jobCommand } from './job-move.ts'

export const command = jobCommand({
  word: 'pause',
  what: 'Let a job rest; what runs goes on to its end',
  method: 'POST',
  path: '/pause',
  said: (job) => `${job.name} is paused`,
})
