import { setTimeout as wait } from 'node:timers/promises'
import type { InstallJob, InstallStatus } from '../../../runtime/features/schema.ts'
import type { Client } from './client.ts'
import { type Command, type Options, print } from './command.ts'
import { keyOption, packPath, progressLine, withClient } from './features-client.ts'

/** Milliseconds between two looks. */
const pace = 500

export const command: Command = {
  usage: 'features install <pack>',
  what: 'Install a pack into the running daemon and wait for its end',
  options: [keyOption, ['--json', 'Print the job as JSON when it has ended']],
  examples: ['features install memory-visualization'],
  async run([pack = ''], options) {
    const job = await withClient(options, async (client) => {
      await client.send('POST', packPath(pack, 'install'))
      return follow(client, pack, options)
    })
    print(options, job, textOf(pack, job))
    return job.status === 'done' ? 0 : 1
  },
}

function textOf(pack: string, { error, result }: InstallJob): string {
  if (error) return `${pack} was not installed: ${error}`
  return result?.changed === false ? `Nothing to do: ${pack} is there and works` : `${pack} is installed`
}

/** Tells each step on the error output, so that the output stays for the result. */
async function follow(client: Client, pack: string, options: Options): Promise<InstallJob> {
  for (let told = ''; ; await wait(pace)) {
    const answer = await client.send('GET', packPath(pack, 'install'))
    const { job } = (await answer.json()) as InstallStatus
    if (!job) throw new Error('The daemon knows of no installation')
    const line = progressLine(job)
    if (line !== told && !options.json) process.stderr.write(`${line}\n`)
    told = line
    if (job.status !== 'running') return job
  }
}
