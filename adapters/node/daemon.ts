import { join } from 'node:path'
import { areas, sockets } from '../../handlers/index.ts'
import { assembleHost, startUp } from '../../runtime/assemble.ts'
import { bootstrapOn } from '../../runtime/auth/bootstrap.ts'
import { type Config, defaultConfig } from '../../runtime/config.ts'
import type { Host } from '../../runtime/host.ts'
import type { Log } from '../../runtime/ports/log.ts'
import { WrongMasterKey } from '../../runtime/secrets/sealed-text.ts'
import { tick } from '../../runtime/tick.ts'
import { sweepBrowsers } from '../browser/sweep.ts'
import { markerFile } from '../libsql/damage.ts'
import { type HolderTls, holderUrl, lockFolder } from '../libsql/lock.ts'
import { openStore, type Store } from '../libsql/open.ts'
import { completeRestore } from '../libsql/restore.ts'
import { sweepPacks } from '../packages/folder.ts'
import { masterKeyId } from '../secrets/secrets.ts'
import { prepareDataFolder } from './data-folder.ts'
import type { Environment } from './environment.ts'
import { Front } from './front.ts'
import { collectWhenIdle } from './idle-memory.ts'
import { browserFolder } from './lazy.ts'
import { listen } from './listen.ts'
import { nodePorts } from './ports.ts'
import { stopServing } from './stop.ts'
import { Ticker } from './ticker.ts'
import { loadToolsInTurn } from './warm-up.ts'

export interface DaemonOptions {
  environment: Environment
  log: Log
  /** Restarts this daemon after a restore was staged. Default: restarting is not possible. */
  restart?: () => void
  /** The built UI. Default: `web/dist` of this checkout. */
  web_folder?: string
}

export interface Daemon {
  host: Host
  /** Where a client on this machine reaches it. */
  url: string
  port: number
  /** How it speaks HTTPS; null if it does not. */
  tls: HolderTls | null
  /** The one-time token of a remote setup while no key exists, else empty. */
  setup_token: string
  /** Stops gracefully, within 15 s; a second call waits for the first. */
  close(): Promise<void>
}

const builtUi = join(import.meta.dirname, '..', '..', 'web', 'dist')

/** What has been opened so far, so that a failed start can close it in reverse order. */
type Undo = (() => unknown)[]

/**
 * Starts the service in this process: owns the data folder, listens, opens the store, migrates it to this
 * release and starts working. If any step fails, it releases everything and rejects.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const undo: Undo = []
  try {
    return await start(options, undo)
  } catch (thrown) {
    for (const release of undo.reverse()) await release()
    throw thrown
  }
}

async function start({ environment, log, restart, web_folder = builtUi }: DaemonOptions, undo: Undo): Promise<Daemon> {
  prepareDataFolder(environment.data_dir)
  const lock = lockFolder(environment.data_dir)
  undo.push(() => lock.release())
  await sweepPacks(environment.data_dir)
  sweepBrowsers(browserFolder(environment.data_dir))
  const certificates = await certificatesFor(environment, log)
  const front = new Front(environment, web_folder, certificates)
  const tls = certificates && { authority: certificates.authority?.fingerprint ?? null }
  const port = await listen(front.server, environment.host, environment.port)
  undo.push(() => front.close())
  lock.announce({ host: environment.host, port, tls })
  if (!environment.database_url) completeRestore(environment.data_dir, environment.encryption_key)
  const store = await openStore(storeOptions(environment))
  undo.push(() => store.close())
  for (const warning of store.warnings) log.write('error', warning)
  requireMasterKey(environment, store.key_id)
  const { host, ticker, stopping, close } = assemble({
    environment,
    log,
    store,
    port,
    restart: restart ?? null,
  })
  undo.push(close)
  await startUp(host, { alone: !store.remote })
  store.markInitialised(keyIdOf(environment) ?? undefined)
  front.serve({ areas, sockets, host })
  ticker.start()
  void collectWhenIdle(host.clock, stopping.signal)
  const setup_token = (await bootstrapOn(host)) ? host.config.setup_token : ''
  lock.announce({ host: environment.host, port, tls, setup_token })

  const end = async () => {
    await stopServing({ host, server: front.server, ticker, stopping })
    await close()
    await store.close()
    lock.release()
  }
  let ended: Promise<void> | undefined
  const url = holderUrl({ host: environment.host, port })
  return { host, url, port, tls, setup_token, close: () => (ended ??= end()) }
}

/** What HTTPS needs is loaded only with it. */
const certificatesFor = async (environment: Environment, log: Log) => {
  const { tls, tls_cert, tls_key } = environment
  if (tls === 'off' && !tls_cert && !tls_key) return null
  return (await import('./tls/certificates.ts')).certificatesOf(environment, log)
}

const keyIdOf = ({ data_dir, secret_key }: Environment): string | null =>
  masterKeyId({ data_dir, ...(secret_key ? { master_key: secret_key } : {}) })

function requireMasterKey(environment: Environment, recorded: string | undefined): void {
  const current = keyIdOf(environment)
  if (recorded === undefined || current === recorded) return
  const { data_dir, secret_key } = environment
  const what = secret_key ? 'SERVICE_SECRET_KEY' : join(data_dir, 'master.key')
  const problem = current === null ? 'is missing' : 'is not the key that sealed the stored secrets'
  throw new WrongMasterKey(
    `${what} ${problem}: restore it. To give up the secrets, remove ${markerFile(data_dir)} as well`,
  )
}

const storeOptions = ({ data_dir, encryption_key, database_url, database_token }: Environment) => ({
  data_dir,
  ...(encryption_key ? { encryption_key } : {}),
  ...(database_url ? { url: database_url } : {}),
  ...(database_token ? { auth_token: database_token } : {}),
})

interface Parts {
  environment: Environment
  log: Log
  store: Store
  port: number
  restart: (() => void) | null
}

function assemble({ environment, log, store, port, restart }: Parts) {
  const { ports, tracer, close } = nodePorts({
    environment,
    sql: store.sql,
    log,
    own_ports: () => [port],
    restart,
  })
  const stopping = new AbortController()
  const host = assembleHost({
    ports,
    areas: loadToolsInTurn(areas),
    config: configOf(environment, ports.secrets.random(16)),
    stopping: stopping.signal,
    wake: () => ticker.wake(),
    tracer,
  })
  const ticker = new Ticker(host, () => {
    store.check()
    return tick(host)
  })
  return { host, ticker, stopping, close }
}

function configOf(environment: Environment, setup_token: string): Config {
  const { api_key_required, cors_origins, allowed_hosts, timezone } = environment
  const { json_limit, upload_limit, backup_limit, files_quota } = environment
  const limits = { json_limit, upload_limit, backup_limit, files_quota }
  const decided = { api_key_required, cors_origins, allowed_hosts, timezone, ...limits }
  return { ...defaultConfig, ...decided, setup_token }
}
