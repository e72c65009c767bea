import type { Area } from './area.ts'
import type { Config } from './config.ts'
import type { LiveConnections } from './http/connections.ts'
import type { Browser } from './ports/browser.ts'
import type { Bus } from './ports/bus.ts'
import type { Clock } from './ports/clock.ts'
import type { Embedder } from './ports/embedder.ts'
import type { Files } from './ports/files.ts'
import type { Log } from './ports/log.ts'
import type { Machine } from './ports/machine.ts'
import type { Mail } from './ports/mail.ts'
import type { Metrics } from './ports/metrics.ts'
import type { Models } from './ports/models.ts'
import type { Outbound } from './ports/outbound.ts'
import type { Packages } from './ports/packages.ts'
import type { Reader } from './ports/reader.ts'
import type { Secrets } from './ports/secrets.ts'
import type { Sql } from './ports/sql.ts'
import type { ToolServers } from './ports/tool-servers.ts'
import type { Visualization } from './ports/visualization.ts'
import type { Redaction } from './secrets/redaction.ts'
import type { RunningWork } from './work/running.ts'

/** Everything that a host lends. Each member has a contract suite in `test/contracts`. */
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
  tool_servers: ToolServers
  packages: Packages
  visualization: Visualization
  browser: Browser
}

/** What one process knows and a restart forgets. Nothing here is the only copy of anything that matters. */
export interface ProcessState {
  /** Names this process as the owner of its leases. */
  owner: string
  /** Milliseconds since the epoch. */
  started_at: number
  ready: boolean
  /** When the last tick was, in milliseconds since the epoch: an earlier time now means a clock that was set back. */
  ticked_at: number
  /** When the next tick is needed, in milliseconds since the epoch; null before the first. */
  next_tick_at: number | null
  /** When old rows were last forgotten, in milliseconds since the epoch. */
  pruned_at: number
  stopping: AbortSignal
  running: RunningWork
  /** What the security settings blank. */
  redaction: Redaction
  connections: LiveConnections
  /** What the areas remember; see `processState`. */
  states: Map<unknown, unknown>
  /** Asks the host for a tick at once, because new work is due. */
  wake(): void
}

export interface Host extends Ports {
  config: Config
  areas: readonly Area[]
  process: ProcessState
}
