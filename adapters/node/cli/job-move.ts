import type { Job } from '../../../runtime/scheduler/schema.ts'
import { type Command, print } from './command.ts'
import { keyOption, withClient } from './features-client.ts'
import { findJob, jobPath } from './job-client.ts'

interface Move {
  word: string
  what: string
  method: 'POST' | 'DELETE'
  path: string
  said(job: Job, answer: unknown): string
}

/** A command that asks one thing of one job. */
export const jobCommand = ({ word, what, method, path, said }: Move): Command => ({
  usage: `job ${word} <job>`,
  what: `${what} (by id or name)`,
  options: [keyOption, ['--json', 'Print JSON']],
  async run([name = ''], options) {
    const { job, answer } = await withClient(options, async (client) => {
      const found = await findJob(client, name)
      const response = await client.send(method, jobPath(found.id, path))
      return { job: found, answer: (await response.json()) as unknown }
    })
    print(options, answer, said(job, answer))
    return 0
  },
})
