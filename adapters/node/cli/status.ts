import { holderUrl } from '../../libsql/lock.ts'
import { type Command, print } from './command.ts'
import { environmentOf } from './settings.ts'
import { askHealth, findDaemon } from './target.ts'

export const command: Command = {
  usage: 'status',
  what: 'Tell whether the daemon runs',
  options: [
    ['--json', 'Print JSON'],
    ['--port', 'Port to ask (default: that of the daemon of this data folder)'],
    ['--host', 'Address to ask'],
  ],
  async run(_, options) {
    const environment = environmentOf(options)
    const target = options.host === undefined ? findDaemon(environment, options) : null
    const address = target ?? environment
    const vitals = await askHealth(holderUrl(address))
    const shown = {
      running: vitals !== null || target !== null,
      status: vitals?.status ?? (target ? 'unresponsive' : 'stopped'),
      host: address.host || '127.0.0.1',
      port: address.port,
      uptime_seconds: vitals?.uptime_seconds ?? null,
    }
    print(
      options,
      shown,
      table({
        ...shown,
        pid: target?.pid ?? null,
        version: vitals?.version ?? null,
        data_dir: environment.data_dir,
      }),
    )
  },
}

function table(values: Record<string, unknown>): string {
  const rows = Object.entries(values).filter(([, value]) => value !== null)
  return rows.map(([name, value]) => `${name.padEnd(16)}${value}`).join('\n')
}
