import { folderHolder, holderUrl } from '../../libsql/lock.ts'
import type { Environment } from '../environment.ts'
import { type Command, Failure, type Options, print } from './command.ts'
import { environmentOf } from './settings.ts'
import { askHealth, findDaemon, type Target, waitUntil } from './target.ts'

/** Milliseconds of the specified graceful wait. */
const patience = 15_000

export const command: Command = {
  usage: 'stop',
  what: 'Stop the daemon of this data folder',
  options: [
    ['--port', 'Only if it listens on this port'],
    ['--host', 'Address that it listens on'],
    ['--force', 'End it at once (SIGKILL)'],
    ['--strict', 'Exit 1 when none runs'],
    ['--json', 'Print JSON'],
  ],
  async run(_, options) {
    const environment = environmentOf(options)
    const target = findDaemon(environment, options)
    if (!target) return notRunning(environment, options)
    await stopDaemon(target, environment, Boolean(options.force))
    print(options, { stopped: true, pid: target.pid }, `hearthd has stopped (pid ${target.pid})`)
  },
}

/** Sends the signal and waits until the data folder is free again. */
export async function stopDaemon(target: Target, { data_dir }: Environment, force: boolean): Promise<void> {
  try {
    process.kill(target.pid, force ? 'SIGKILL' : 'SIGTERM')
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code
    if (code === 'EPERM') throw new Failure(`hearthd (pid ${target.pid}) belongs to another user`)
    throw new Failure(
      `hearthd runs on ${data_dir}, but not as a process of this machine or container (pid ${target.pid})`,
    )
  }
  if (await waitUntil(patience, () => folderHolder(data_dir) === null)) return
  throw new Failure(
    `hearthd (pid ${target.pid}) has not stopped within ${patience / 1000} s; --force ends it at once`,
  )
}

async function notRunning(environment: Environment, options: Options): Promise<number> {
  if (options.port !== undefined && (await askHealth(holderUrl(environment)))) {
    throw new Failure(
      `A hearthd answers on port ${environment.port}, but not on ${environment.data_dir}; set SERVICE_DATA_DIR to its folder`,
    )
  }
  print(options, { stopped: false, running: false }, 'hearthd is not running')
  return options.strict ? 1 : 0
}
