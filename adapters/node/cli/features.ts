import { setTimeout as sleep } from 'node:timers/promises'
import type { FeatureList, InstallJob, InstallPlan } from '../../../runtime/features/schema.ts'
import { apiCommand, type Client } from './client.ts'
import { Failure, print } from './command.ts'

const list = apiCommand({
  usage: 'features',
  what: 'List the features of this installation',
  async run(_, options, client) {
    const list = await client.get('/api/features')
    print(options, list, table(list))
  },
})

function table({ features, install }: FeatureList): string {
  const rows = features.map(({ id, status, note, unsupported_reason, command }) => {
    const details = [unsupported_reason ?? note, command && `→ ${command}`].filter(Boolean).join(' ')
    return `${id.padEnd(22)}${status.padEnd(15)}${details}`
  })
  const repair = `(repair: ${install.repair_command})`
  return [...rows, '', `hearthd ${install.version}: ${install.label} ${repair}`].join('\n')
}

const plan = apiCommand({
  usage: 'features plan <pack>',
  what: 'Show what installing a pack would change',
  examples: ['features plan memory-visualization'],
  async run([id = ''], options, client) {
    const plan = await client.get('/api/features/packs/{id}/plan', { params: { id } })
    print(options, plan, planText(plan))
    return plan.blocked_reason === null ? 0 : 1
  },
})

function planText(plan: InstallPlan): string {
  const { packages, skipped, total_bytes, command, blocked_reason, manual_command } = plan
  if (blocked_reason !== null)
    return [blocked_reason, manual_command && `Manually: ${manual_command}`].filter(Boolean).join('\n')
  if (packages.length === 0) return 'Nothing to do: the pack is installed and works'
  const rows = packages.map(({ name, version, action, current_version, size_bytes }) => {
    const from = current_version && current_version !== version ? ` (from ${current_version})` : ''
    return `${name.padEnd(28)}${version.padEnd(12)}${size(size_bytes).padStart(9)}  ${action}${from}`
  })
  const notes = skipped.map(({ name, reason }) => `${name} is skipped: ${reason}`)
  return [...rows, ...notes, `${size(total_bytes)} to download`, command].join('\n')
}

/** `1.4 MB`; `?` if unknown. */
function size(bytes: number | null): string {
  if (bytes === null) return '?'
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

const install = apiCommand({
  usage: 'features install <pack>',
  what: 'Install a pack into the running daemon and wait until it is done',
  options: { json: { what: 'Print the finished job as JSON' } },
  examples: ['features install memory-visualization'],
  async run([id = ''], options, client) {
    await client.post('/api/features/packs/{id}/install', { params: { id } })
    const job = await followInstall(client, id, options.json)
    const done = job.result?.changed === false ? 'was already installed' : 'is installed'
    print(options, job, job.error ? `${id} was not installed: ${job.error}` : `${id} ${done}`)
    return job.status === 'done' ? 0 : 1
  },
})

/** Milliseconds between two requests for the progress. */
const pollEvery = 500

/** Prints each step to the standard error; the standard output is for the result. */
async function followInstall(client: Client, id: string, quiet = false): Promise<InstallJob> {
  for (let printed = ''; ; await sleep(pollEvery)) {
    const { job } = await client.get('/api/features/packs/{id}/install', {
      params: { id },
    })
    if (!job) throw new Failure('The daemon has no record of the installation')
    const { phase, done, total } = job.progress
    const line = total > 0 ? `${phase} ${done}/${total}` : phase
    if (line !== printed && !quiet) process.stderr.write(`${line}\n`)
    printed = line
    if (job.status !== 'running') return job
  }
}

export const commands = [list, plan, install]
