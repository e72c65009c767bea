import type { InstallPlan } from '../../../runtime/features/schema.ts'
import { type Command, print } from './command.ts'
import { keyOption, packPath, size, withClient } from './features-client.ts'

export const command: Command = {
  usage: 'features plan <pack>',
  what: 'Tell what installing a pack would do, without doing it',
  options: [keyOption, ['--json', 'Print JSON']],
  examples: ['features plan memory-visualization'],
  async run([pack = ''], options) {
    const plan = await withClient(
      options,
      async (client) => (await (await client.send('GET', packPath(pack, 'plan'))).json()) as InstallPlan,
    )
    print(options, plan, text(plan))
    return plan.blocked_reason === null ? 0 : 1
  },
}

function text({
  packages,
  skipped,
  total_bytes,
  command,
  blocked_reason,
  manual_command,
}: InstallPlan): string {
  if (blocked_reason !== null)
    return [blocked_reason, manual_command && `By hand: ${manual_command}`].filter(Boolean).join('\n')
  if (packages.length === 0) return 'Nothing to do: everything is there and works'
  const rows = packages.map(({ name, version, action, current_version, size_bytes }) => {
    const from = current_version && current_version !== version ? ` (from ${current_version})` : ''
    return `${name.padEnd(28)}${version.padEnd(12)}${size(size_bytes).padStart(9)}  ${action}${from}`
  })
  const left_out = skipped.map(({ name, reason }) => `${name} is left out: ${reason}`)
  return [...rows, ...left_out, `${size(total_bytes)} to download`, command].join('\n')
}
