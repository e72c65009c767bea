import type { Command, Options } from './command.ts'
import { startDetached } from './detach.ts'
import { installedService } from './service.ts'
import { environmentOf } from './settings.ts'
import { stopDaemon } from './stop.ts'
import { findDaemon, type Target } from './target.ts'

export const command: Command = {
  usage: 'restart',
  what: 'Stop the daemon and start it again in the background; start it when none runs',
  options: [
    ['--port', 'Port of the new one (default: as before)'],
    ['--host', 'Address of the new one (default: as before)'],
    ['--dev', 'Restart when the code changes'],
    ['--force', 'End the old one at once (SIGKILL)'],
    ['--json', 'Print JSON'],
  ],
  async run(_, options) {
    const overridden = options.dev || options.port !== undefined || options.host !== undefined
    const service = overridden ? null : installedService()
    if (service) return service.restart(options)
    const environment = environmentOf({})
    const target = findDaemon(environment, {})
    if (target) await stopDaemon(target, environment, Boolean(options.force))
    return startDetached({ ...options, ...addressFor(target, options) })
  },
}

/** Where the old one listened, for what the person left open: a restart must not open it to more of the network. */
function addressFor(target: Target | null, { port, host }: Options): Options {
  return { port: port ?? target?.port, host: host ?? (target?.host || undefined) }
}
