import type { Job } from '../../../runtime/scheduler/schema.ts'
import { type Command, print } from './command.ts'
import { keyOption, withClient } from './features-client.ts'
import { allJobs, when } from './job-client.ts'

export const command: Command = {
  usage: 'job ls',
  what: 'List jobs, the one that runs next first',
  options: [keyOption, ['--json', 'Print JSON']],
  async run(_, options) {
    const jobs = await withClient(options, allJobs)
    print(options, { jobs, count: jobs.length }, jobs.length === 0 ? 'No jobs' : table(jobs))
    return 0
  },
}

const table = (jobs: Job[]): string =>
  jobs
    .map(({ id, status, next_run_at, last_status, human_readable, name }) =>
      [
        id.padEnd(30),
        status.padEnd(10),
        when(next_run_at).padEnd(17),
        (last_status ?? '–').padEnd(10),
        name.padEnd(24),
        human_readable,
      ].join(' '),
    )
    .join('\n')
