import { setTimeout as wait } from 'node:timers/promises'
import type { ShownRun } from '../../../runtime/scheduler/run-schema.ts'
import { type Command, print } from './command.ts'
import { keyOption, withClient } from './features-client.ts'
import { findJob, jobPath } from './job-client.ts'

/** Milliseconds between two looks. */
const pace = 250

export const command: Command = {
  usage: 'job run <job>',
  what: 'Run a job now and wait for what comes of it (by id or name)',
  options: [['-d, --detach', 'Do not wait'], keyOption, ['--json', 'Print the run as JSON']],
  async run([name = ''], options) {
    const run = await withClient(options, async (client) => {
      const { id } = await findJob(client, name)
      const { run_id } = (await (await client.send('POST', jobPath(id, '/trigger'))).json()) as {
        run_id: string
      }
      for (;;) {
        const shown = (await (await client.send('GET', jobPath(id, `/runs/${run_id}`))).json()) as ShownRun
        const open = shown.status === 'queued' || shown.status === 'running'
        if (!open || options.detach === true) return shown
        await wait(pace)
      }
    })
    print(options, run, run.output ?? run.error ?? `${run.id}: ${run.status}`)
    return run.status === 'succeeded' || options.detach === true ? 0 : 1
  },
}
