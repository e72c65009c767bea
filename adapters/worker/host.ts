import { areas } from '../../handlers/index.ts'
import { assembleHost, startUp } from '../../runtime/assemble.ts'
import type { Host } from '../../runtime/host.ts'
import { withOffline } from '../../runtime/models/models.ts'
import { owaspScryptSmall } from '../../runtime/secrets/password-hash.ts'
import { createClock } from '../clock/clock.ts'
import { createVendorEmbedder } from '../embedder/vendors.ts'
import {
  noBackups,
  noDatabases,
  noMail,
  noPackages,
  noPush,
  noRepositories,
  noSandbox,
  noScript,
  noToolServers,
  noVisualization,
  unknownMachine,
} from '../memory/absent.ts'
import { noBrowser } from '../memory/browser.ts'
import { createBus } from '../memory/bus.ts'
import { createMemoryMetrics } from '../memory/metrics.ts'
import { createReader } from '../memory/reader.ts'
import { createMemorySecrets } from '../memory/secrets.ts'
import { lazyModels } from '../models/lazy.ts'
import { createWebOutbound } from '../outbound/follow.ts'
import { configOf, listOf, logLevelOf, masterKeyOf, type WorkerEnvironment } from './environment.ts'
import { createObjectFiles } from './files.ts'
import { createConsoleLog } from './log.ts'
import type { ObjectStorage } from './platform.ts'
import { createObjectSql } from './sql.ts'

/**
 * The whole program on one Durable Object. Nobody else can hold a lease on its store.
 * `assembled` is called before anything is published. An object shares 128 MB with everything in its isolate, hence the small password hash.
 */
export async function openHost(
  storage: ObjectStorage,
  environment: WorkerEnvironment,
  { wake, assembled }: { wake(): void; assembled(host: Host): void },
): Promise<Host> {
  const clock = createClock()
  const config = configOf(environment)
  const outbound = createWebOutbound((input, init) => fetch(input, init), {
    allowlist: listOf(environment.SERVICE_OUTBOUND_ALLOWLIST),
    blocklist: listOf(environment.SERVICE_OUTBOUND_BLOCKLIST),
  })
  const files = createObjectFiles(storage, clock)
  const ports = {
    sql: createObjectSql(storage),
    bus: createBus(),
    clock,
    files,
    models: withOffline(lazyModels(outbound, clock), { clock, timezone: config.timezone }),
    embedder: createVendorEmbedder((url, init) =>
      outbound.fetch(url, init, { trusted_origins: [new URL(url).origin] }),
    ),
    reader: createReader(clock),
    outbound,
    secrets: createMemorySecrets({ master_key: masterKeyOf(environment), cost: owaspScryptSmall }),
    metrics: createMemoryMetrics(),
    log: createConsoleLog(logLevelOf(environment)),
    machine: unknownMachine,
    mail: noMail,
    databases: noDatabases,
    push: noPush,
    tool_servers: noToolServers,
    packages: noPackages,
    visualization: noVisualization,
    browser: noBrowser,
    script: noScript,
    sandbox: noSandbox(files),
    repositories: noRepositories,
    backups: noBackups,
  }
  const never = new AbortController().signal
  const host = assembleHost({ ports, areas, config, stopping: never, wake })
  assembled(host)
  await startUp(host, { alone: true })
  return host
}
