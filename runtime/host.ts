import type { Config } from './config.ts'
import type { SharedOutbox } from './events/shared-outbox.ts'
import type { LiveConnections } from './http/connections.ts'
import type { Backups } from './ports/backups.ts'
import type { Browser } from './ports/browser.ts'
import type { Bus } from './ports/bus.ts'
import type { Clock } from './ports/clock.ts'
import type { Databases } from './ports/databases.ts'
import type { Embedder } from './ports/embedder.ts'
import type { Files } from './ports/files.ts'
import type { Log } from './ports/log.ts'
import type { Machine } from './ports/machine.ts'
import type { Mail } from './ports/mail.ts'
import type { Metrics } from './ports/metrics.ts'
import type { Models } from './ports/models.ts'
import type { Outbound } from './ports/outbound.ts'
import type { Packages } from './ports/packages.ts'
import type { Push } from './ports/push.ts'
import type { Reader } from './ports/reader.ts'
import type { Repositories } from './ports/repositories.ts'
import type { Sandbox } from './ports/sandbox.ts'
import type { Script } from './ports/script.ts'
import type { Secrets } from './ports/secrets.ts'
import type { Sql } from './ports/sql.ts'
import type { ToolServers } from './ports/tool-servers.ts'
import type { Tracer } from './ports/tracer.ts'
import type { Visualization } from './ports/visualization.ts'
import type { Redaction } from './secrets/redaction.ts'
import type { RunningWork } from './work/running.ts'

/** The ports that a host implements. Each has a contract suite in `test/contracts`. */
export interface Ports {
  sql: Sql
  bus: Bus
  clock: Clock
  files: Files
  models: Models
  embedder: Embedder
  reader: Reader
  outbound: Outbound
  secrets: Secrets
  metrics: Metrics
  log: Log
  machine: Machine
  mail: Mail
  databases: Databases
  push: Push
  tool_servers: ToolServers
  packages: Packages
  visualization: Visualization
  browser: Browser
  script: Script
  sandbox: Sandbox
  repositories: Repositories
  backups: Backups
}

/** In-memory state of one process, lost on restart. Durable data never lives only here. */
export interface ProcessState {
  /** Identifies this process as the owner of its leases. */
  owner: string
  /** Milliseconds since the epoch. */
  started_at: number
  ready: boolean
  /** Name of the backup that this start restored; null if none. */
  restored: string | null
  /** Time of the last tick, in milliseconds since the epoch. Used to detect a clock rollback. */
  ticked_at: number
  /** Time of the next tick, in milliseconds since the epoch; null before the first. */
  next_tick_at: number | null
  stopping: AbortSignal
  running: RunningWork
  /** Null if no other process uses the database. */
  shared: SharedOutbox | null
  /** Redaction rules from the security settings. */
  redaction: Redaction
  connections: LiveConnections
  /** In-memory state of the areas; see `processState`. */
  states: Map<unknown, unknown>
  /** Requests an immediate tick because new work is due. */
  wake(): void
}

/**
 * What an area contributes. `area.ts` declares the members: it names what takes a host, and so would close a circle here.
 */
export interface Area {
  name: string
}

export interface Host extends Ports {
  config: Config
  areas: readonly Area[]
  process: ProcessState
  /** Null unless the operator has configured a trace collector. */
  tracer: Tracer | null
}
