import { defaultConfig } from '../../../runtime/config.ts'
import { type Command, print } from './command.ts'

export const command: Command = {
  usage: 'version',
  what: 'Print the version',
  options: [['--json', 'Print JSON']],
  run(_, options) {
    const version = defaultConfig.version
    print(options, { version, node: process.version }, version)
  },
}
