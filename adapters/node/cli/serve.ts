import { flushCompileCache } from 'node:module'
import { NewerSchema } from '../../../runtime/migrations/migrate.ts'
import type { Log } from '../../../runtime/ports/log.ts'
import { errorMessage } from '../../../runtime/thrown.ts'
import { undoRestore } from '../../libsql/restore.ts'
import { createLog, logFile } from '../../log/log.ts'
import { closeInherited } from '../../process/inherited.ts'
import { type Daemon, type DaemonOptions, startDaemon } from '../daemon.ts'
import { prepareDataFolder } from '../data-folder.ts'
import { type Environment, unknownVariables, unreadableVariables } from '../environment.ts'
import { environmentOf, print } from './command.ts'
import { networkUrls, stopTimeout } from './process.ts'
import { buildUiIfNeeded } from './ui-build.ts'

/** Milliseconds after the start until the compile cache is written: a killed process would never write it. */
const cacheAfter = 3_000

/** Serves in this process until a signal stops it. */
export async function serve(options: {
  host?: string | undefined
  port?: string | undefined
  json?: boolean | undefined
}): Promise<never> {
  closeInherited()
  process.umask(0o077)
  process.title = 'hearthd'
  const environment = environmentOf(options)
  const { data_dir, log_level } = environment
  prepareDataFolder(data_dir)
  await buildUiIfNeeded()
  const log = createLog({ level: log_level, file: logFile(data_dir), stream: process.stderr })
  const { daemon, stopped } = await startRestartable(environment, log)
  logMistakes(log)
  for (const name of unknownVariables(process.env)) log.write('warn', `${name} is not a variable of hearthd`)
  for (const name of unreadableVariables(process.env)) log.write('warn', `${name} cannot be read and is ignored`)
  const { json, text } = announcement(daemon, environment)
  print(options, json, text)
  setTimeout(flushCompileCache, cacheAfter).unref()
  log.write('info', 'hearthd is listening', { url: daemon.url, version: json.version, pid: process.pid })
  await stopped
  log.write('info', 'hearthd has stopped')
  log.close()
  process.exit(0)
}

function explainStart(thrown: unknown): never {
  throw thrown instanceof NewerSchema ? new NewerSchema(`${thrown.message}. Nothing was changed`) : thrown
}

/**
 * Starts the daemon. After a restore it restarts in this process, so that its pid and port stay the same under any
 * supervisor. The first signal stops it gracefully. Later ones are ignored while the stop may take its time: process
 * groups and supervisors send several at once. `stopped` resolves when everything is closed.
 */
async function startRestartable(environment: Environment, log: Log) {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>()
  let stopping_since: number | null = null
  const restart = () => {
    current = current.then((daemon) =>
      stopping_since !== null ? daemon : restarted(daemon, { environment, log, restart }),
    )
    current.catch(reject)
  }
  const daemon = await startDaemon({ environment, log, restart }).catch(explainStart)
  let current = Promise.resolve(daemon)
  const stop = () => {
    const now = performance.now()
    if (stopping_since !== null) {
      if (now - stopping_since > stopTimeout) process.exit(130)
      return
    }
    stopping_since = now
    current.then((running) => running.close()).then(resolve, reject)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  return { daemon, stopped }
}

/** Restarts with the restored data, or with the previous data if the restored data cannot be used. */
async function restarted(daemon: Daemon, options: DaemonOptions): Promise<Daemon> {
  const { log } = options
  log.write('info', 'restarting to complete a restore')
  const environment = { ...options.environment, port: daemon.port }
  await daemon.close()
  try {
    return await startDaemon({ ...options, environment })
  } catch (cause) {
    log.write('error', 'cannot use the restored data; going back to the previous data', { cause })
    const why = errorMessage(cause)
    if (!undoRestore(environment.data_dir, why, environment.encryption_key)) throw cause
    return startDaemon({ ...options, environment })
  }
}

/**
 * After an uncaught exception the state is unknown: log it and exit with 1; the next start recovers. A
 * rejection that nobody awaited broke one task only, so it is logged and the service continues.
 */
function logMistakes(log: Log): void {
  process.on('unhandledRejection', (cause) => log.write('error', 'unhandled rejection', { cause }))
  process.on('uncaughtException', (cause) => {
    log.write('error', 'uncaught exception, hearthd exits', { cause })
    process.exit(1)
  })
}

/** What `start` prints: where it listens, who can reach it, and where setup begins. */
function announcement({ url, port, tls, setup_token, host }: Daemon, environment: Environment) {
  const reachable_at = networkUrls({ host: environment.host, port, tls })
  const setup_url = setup_token === '' ? null : `${url}/setup#token=${setup_token}`
  const { version } = host.config
  const lines = [
    `hearthd ${version} listens on ${url}`,
    reachable_at.length > 0
      ? `Others on your network reach it at ${reachable_at.join(' ')}`
      : 'Only this machine can reach it',
    ...(tls?.authority ? [`They install its authority at /ca once; SHA-256 fingerprint ${tls.authority}`] : []),
    environment.api_key_required
      ? 'Only sign-in, pairing and the liveness check are anonymous'
      : 'Anonymous: health, metrics and the API index (SERVICE_API_KEY_REQUIRED=true closes them)',
    ...(setup_url ? [`Set it up at ${setup_url}`] : []),
  ]
  const json = {
    url,
    port,
    pid: process.pid,
    version,
    exposed: reachable_at.length > 0,
    reachable_at,
    authority: tls?.authority ?? null,
    anonymous: !environment.api_key_required,
    bootstrap_mode: setup_url !== null,
    setup_url,
  }
  return { json, text: lines.join('\n') }
}
