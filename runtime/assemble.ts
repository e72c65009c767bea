import { ensureDefaultAgent } from './agents/agents.ts'
import { Limiter } from './auth/limiter.ts'
import { AuthState } from './auth/state.ts'
import { followBrowser } from './browser/follow.ts'
import { newBrowserLive } from './browser/live/state.ts'
import { LiveTurns } from './chat/live.ts'
import type { Config } from './config.ts'
import { commit } from './events/commit.ts'
import { LiveInstalls } from './features/live.ts'
import { sweepUploads } from './files/blobs.ts'
import { FilesState } from './files/state.ts'
import type { Host, Ports } from './host.ts'
import { LiveConnections } from './http/connections.ts'
import { markCutRequests } from './http/idempotency.ts'
import { MemoryJobs } from './memory/jobs/live.ts'
import { queueLeftIndex } from './memory/retrieval/index-queue.ts'
import { RetrievalState } from './memory/retrieval/state.ts'
import { migrate } from './migrations/migrate.ts'
import { releaseReservations } from './monitoring/ledger.ts'
import { SchedulerState } from './scheduler/state.ts'
import { redactingLog } from './secrets/redacting-log.ts'
import { Redaction } from './secrets/redaction.ts'
import { followServers } from './settings/mcp/follow.ts'
import { readSecurity } from './settings/security.ts'
import { iso } from './time.ts'
import { workKinds } from './work/kinds.ts'
import { recoverWork } from './work/recover.ts'
import { workContext } from './work/run.ts'
import { RunningWork } from './work/running.ts'
import { workSources } from './work/sources.ts'
import { bringForward } from './work/store.ts'

export interface Assembly {
  ports: Ports
  config: Config
  /** Aborted when the host begins to stop. */
  stopping: AbortSignal
  /** Called when new work is due, so that the host ticks soon. */
  wake(): void
}

/** A host of its parts, with fresh process state. Nothing runs until `startUp`. */
export function assembleHost({ ports, config, stopping, wake }: Assembly): Host {
  const owner = ports.secrets.random(8)
  const process = {
    owner,
    started_at: ports.clock.now(),
    ready: false,
    ticked_at: 0,
    pruned_at: 0,
    stopping,
    limiter: new Limiter(),
    auth: new AuthState(),
    running: new RunningWork(),
    redaction: new Redaction(),
    turns: new LiveTurns(owner),
    retrieval: new RetrievalState(),
    memory_jobs: new MemoryJobs(),
    connections: new LiveConnections(),
    scheduler: new SchedulerState(),
    files: new FilesState(),
    installs: new LiveInstalls(),
    browser_live: newBrowserLive(),
    maps: new Map(),
    wake,
  }
  return { ...ports, log: redactingLog(ports.log, process.redaction), config, process }
}

/**
 * Brings the store to this release and deals with what a crash left behind; afterwards the host is ready.
 * `alone` says that no other process can hold a lease on this store.
 */
export async function startUp(host: Host, { alone }: { alone: boolean }): Promise<void> {
  await migrate(host.sql, host.config.version, iso(host.clock.now()))
  await readSecurity(host)
  await ensureDefaultAgent(workContext(host, { id: 'start' }, host.process.stopping))
  await commit(host, [bringForward(host)])
  for (const source of workSources) await source.clockSetBack(host)
  const lost = await recoverWork(host, workKinds, alone)
  if (lost > 0) host.log.write('warn', 'work was cut by the last stop', { units: lost })
  await releaseReservations(host, alone)
  await sweepUploads(host, alone)
  if (alone) await host.sql.write([markCutRequests()])
  await host.sql.write([queueLeftIndex(host)])
  followServers(host)
  followBrowser(host)
  host.process.ready = true
  host.process.wake()
}
