import { setTimeout as wait } from 'node:timers/promises'
import type { ShownRun } from '../../../runtime/scheduler/run-schema.ts'
import type { Client } from './client.ts'
import type { Command, Options } from './command.ts'
import { keyOption, withClient } from './features-client.ts'
import { findJob, jobPath, when } from './job-client.ts'

/** Milliseconds between two looks. */
const pace = 1_000

export const command: Command = {
  usage: 'job logs <job>',
  what: 'Show the latest runs of a job and what came of them (by id or name)',
  options: [
    ['-f, --follow', 'Go on with what comes'],
    ['-n, --lines', 'How many runs', 20],
    keyOption,
    ['--json', 'Print each run as a line of JSON'],
  ],
  async run([name = ''], options) {
    await withClient(options, async (client) => {
      const { id } = await findJob(client, name)
      const told = new Map<string, string>()
      do {
        for (const run of await latest(client, id, Number(options.lines))) tell(run, told, options)
        if (options.follow) await wait(pace)
      } while (options.follow)
    })
    return 0
  },
}

/** Oldest first. */
async function latest(client: Client, id: string, count: number): Promise<ShownRun[]> {
  const limit = Math.min(200, Math.max(1, Math.floor(count) || 1))
  const answer = await client.send('GET', jobPath(id, `/runs?limit=${limit}`))
  return ((await answer.json()) as { runs: ShownRun[] }).runs.reverse()
}

/** Each run once, and again when it has moved on. */
function tell(run: ShownRun, told: Map<string, string>, options: Options): void {
  const state = `${run.status} ${run.delivery_status}`
  if (told.get(run.id) === state) return
  told.set(run.id, state)
  process.stdout.write(`${options.json ? JSON.stringify(run) : line(run)}\n`)
}

function line({ scheduled_for, status, trigger, attempt, output, error, delivery_status }: ShownRun): string {
  const told = (output ?? error ?? '').replace(/\s+/g, ' ').slice(0, 200)
  const tried = attempt > 1 ? ` (try ${attempt})` : ''
  const delivery = delivery_status === 'none' ? '' : ` [${delivery_status}]`
  return `${when(scheduled_for)}  ${status.padEnd(10)} ${trigger}${tried}${delivery}  ${told}`
}
