import type { Area } from '../../runtime/area.ts'
import { assembleHost, startUp } from '../../runtime/assemble.ts'
import { type Config, defaultConfig } from '../../runtime/config.ts'
import { eventsTopic } from '../../runtime/events/event.ts'
import type { Host, Ports } from '../../runtime/host.ts'
import { noVendors, withOffline } from '../../runtime/models/models.ts'
import {
  noBackups,
  noDatabases,
  noMail,
  noOutbound,
  noPackages,
  noPush,
  noRepositories,
  noSandbox,
  noToolServers,
  noVisualization,
  unknownMachine,
} from './absent.ts'
import { noBrowser } from './browser.ts'
import { createBus } from './bus.ts'
import { createFakeClock } from './clock.ts'
import { createWordEmbedder } from './embedder.ts'
import { createMemoryFiles } from './files.ts'
import { createMemoryLog } from './log.ts'
import { createMemoryMetrics } from './metrics.ts'
import { createReader } from './reader.ts'
import { createScript } from './script.ts'
import { createMemorySecrets } from './secrets.ts'
import { createMemorySql } from './sql.ts'

export interface MemoryHost extends Host {
  clock: ReturnType<typeof createFakeClock>
  log: ReturnType<typeof createMemoryLog>
  /** Types of the events that were committed, oldest first. */
  events: string[]
  /** Starts to shut down, as a signal to the daemon does. */
  stop(): void
}

/**
 * Every port in memory, with a clock that is advanced by hand: for tests and for embedders that persist
 * nothing.
 */
export async function createMemoryHost(
  areas: readonly Area[],
  own: Partial<Ports> = {},
  config: Partial<Config> = {},
  /** False if other hosts use the same database. */
  alone = true,
): Promise<MemoryHost> {
  const clock = createFakeClock('2026-01-05T12:00:00.000Z')
  const log = createMemoryLog(clock)
  const stop = new AbortController()
  const files = createMemoryFiles(clock)
  const ports: Ports = {
    sql: createMemorySql(),
    bus: createBus(),
    clock,
    files,
    models: withOffline(noVendors, { clock, timezone: 'UTC' }),
    embedder: createWordEmbedder(),
    reader: createReader(clock),
    outbound: noOutbound,
    secrets: createMemorySecrets({ cheap: true }),
    metrics: createMemoryMetrics(),
    log,
    machine: unknownMachine,
    mail: noMail,
    databases: noDatabases,
    push: noPush,
    tool_servers: noToolServers,
    packages: noPackages,
    visualization: noVisualization,
    browser: noBrowser,
    script: createScript(),
    sandbox: noSandbox(files),
    repositories: noRepositories,
    backups: noBackups,
    ...own,
  }
  const host = assembleHost({
    ports,
    areas,
    config: { ...defaultConfig, check_answers: true, ...config },
    stopping: stop.signal,
    wake: () => undefined,
  })
  await startUp(host, { alone })
  const events: string[] = []
  host.bus.subscribe(eventsTopic, (frame) => void events.push(frame.type))
  const kept = Object.assign(host.log, { lines: log.lines })
  return Object.assign(host, { clock, log: kept, events, stop: () => stop.abort(new Error('stopping')) })
}
