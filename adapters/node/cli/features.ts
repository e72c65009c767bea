import type { FeatureList } from '../../../runtime/features/schema.ts'
import { type Command, print } from './command.ts'
import { keyOption, withClient } from './features-client.ts'

export const command: Command = {
  usage: 'features',
  what: 'List what this installation can do',
  options: [keyOption, ['--json', 'Print JSON']],
  async run(_, options) {
    const list = await withClient(
      options,
      async (client) => (await (await client.send('GET', '/api/features')).json()) as FeatureList,
    )
    print(options, list, table(list))
    return 0
  },
}

function table({ features, install }: FeatureList): string {
  const rows = features.map(({ id, status, note, unsupported_reason, command }) => {
    const told = [unsupported_reason ?? note, command && `→ ${command}`].filter(Boolean).join(' ')
    return `${id.padEnd(22)}${status.padEnd(15)}${told}`
  })
  return [
    ...rows,
    '',
    `hearthd ${install.version}: ${install.label} (repair: ${install.repair_command})`,
  ].join('\n')
}
