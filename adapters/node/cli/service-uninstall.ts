import { type Command, print } from './command.ts'
import { uninstallService } from './service.ts'

export const command: Command = {
  usage: 'service uninstall',
  what: 'Stop the service of this user and forget it',
  options: [['--json', 'Print JSON']],
  run(_, options) {
    const file = uninstallService()
    print(options, { uninstalled: file !== null, file }, file ? `Removed ${file}` : 'No service is installed')
  },
}
