import { when } from './job-client.ts'
import { jobCommand } from './job-move.ts'

export const command = jobCommand({
  word: 'resume',
  what: 'Let a paused job go on',
  method: 'POST',
  path: '/resume',
  said: (_, answer) => `Next ${when((answer as { next_run_at: string | null }).next_run_at)}`,
})
