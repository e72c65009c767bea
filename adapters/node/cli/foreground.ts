import { join } from 'node:path'
import { NewerSchema } from '../../../runtime/migrations/migrate.ts'
import { createLog } from '../../log/log.ts'
import { type Daemon, startDaemon } from '../daemon.ts'
import { unknownVariables } from '../environment.ts'
import { CannotListen } from '../listen.ts'
import { announcement } from './announcement.ts'
import { type Options, print } from './command.ts'
import { keepCompiledCode } from './compile-cache.ts'
import { environmentOf } from './settings.ts'
import { buildUiWhenStale } from './ui-build.ts'
import { whoListens } from './who-listens.ts'

export const logFile = (data_dir: string) => join(data_dir, 'logs', 'hearthd.log')

/** Milliseconds after the start at which nobody waits any more. */
const settled = 3_000

/** Serves in this process until a signal ends it. */
export async function serveHere(options: Options): Promise<number> {
  process.umask(0o077)
  process.title = 'hearthd'
  const environment = environmentOf(options)
  await buildUiWhenStale()
  const log = createLog({
    level: environment.log_level,
    file: logFile(environment.data_dir),
    stream: process.stderr,
  })
  const daemon = await startDaemon({ environment, log }).catch(explainStart)
  const stopped = onSignals(daemon)
  onMistakes(log)
  for (const name of unknownVariables(process.env)) log.write('warn', `${name} is not a variable of hearthd`)
  const said = announcement(daemon, environment)
  print(options, said.json, said.text)
  keepCompiledCode(settled)
  log.write('info', 'hearthd listens', {
    url: daemon.url,
    version: daemon.host.config.version,
    pid: process.pid,
  })
  await stopped
  log.write('info', 'hearthd has stopped')
  log.close()
  process.exit(0)
}

/** Names the program that has the port, and puts the release before a schema that is too new. */
function explainStart(thrown: unknown): never {
  if (thrown instanceof CannotListen && thrown.in_use_port) {
    const who = whoListens(thrown.in_use_port)
    throw new CannotListen(`${thrown.message}${who ? ` (${who})` : ''}. Choose another with --port`)
  }
  if (thrown instanceof NewerSchema) throw new NewerSchema(`${thrown.message}. Nothing was changed`)
  throw thrown
}

/** The first signal ends the orderly way, the second at once. Resolves when everything is closed. */
function onSignals(daemon: Daemon): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let asked = false
  const stop = () => {
    if (asked) process.exit(130)
    asked = true
    daemon.close().then(resolve, reject)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  return promise
}

/**
 * After an uncaught exception nothing can be trusted: log and exit 1, and the next start recovers. A rejection that
 * nobody awaited has broken one task only; it is logged as an error and the service goes on.
 */
function onMistakes(log: ReturnType<typeof createLog>): void {
  process.on('unhandledRejection', (cause) => log.write('error', 'a rejection was not handled', { cause }))
  process.on('uncaughtException', (cause) => {
    log.write('error', 'uncaught exception, hearthd ends', { cause })
    process.exit(1)
  })
}
