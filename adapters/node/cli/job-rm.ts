import { jobCommand } from './job-move.ts'

export const command = jobCommand({
  word: 'rm',
  what: 'Delete a job with its runs; what they do is stopped',
  method: 'DELETE',
  path: '',
  said: (job) => `${job.name} is deleted`,
})
