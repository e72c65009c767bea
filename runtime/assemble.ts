import type { Area } from './area.ts'
import type { Config } from './config.ts'
import { commit, loadEventSchemas } from './events/commit.ts'
import type { Host, Ports } from './host.ts'
import { LiveConnections } from './http/connections.ts'
import { endCutRequests } from './http/idempotency.ts'
import { migrate } from './migrations/migrate.ts'
import type { Tracer } from './ports/tracer.ts'
import { Redaction, redactingLog, redactingTracer, rememberingSecrets } from './secrets/redaction.ts'
import { openSealed } from './secrets/sealed-store.ts'
import { shareStore } from './shared-store.ts'
import { iso } from './time.ts'
import { workKinds } from './work/kinds.ts'
import { recoverWork } from './work/recover.ts'
import { RunningWork } from './work/running.ts'
import { sourcesOf } from './work/source.ts'
import { bringForward } from './work/store.ts'

export interface Assembly {
  ports: Ports
  config: Config
  areas: readonly Area[]
  /** Aborted when the host starts to shut down. */
  stopping: AbortSignal
  /** Called when new work is due; the host should then tick soon. */
  wake(): void
  tracer?: Tracer | null
}

/** Builds a host with empty process state. Nothing runs until `startUp`. */
export function assembleHost({ ports, config, areas, stopping, wake, tracer = null }: Assembly): Host {
  const redaction = new Redaction()
  const process = {
    owner: ports.secrets.random(8),
    started_at: ports.clock.now(),
    ready: false,
    restored: null,
    ticked_at: 0,
    next_tick_at: null,
    stopping,
    running: new RunningWork(),
    shared: null,
    redaction,
    connections: new LiveConnections(),
    states: new Map(),
    wake,
  }
  return {
    ...ports,
    log: redactingLog(ports.log, redaction),
    secrets: rememberingSecrets(ports.secrets, redaction),
    config,
    areas,
    process,
    tracer: tracer && redactingTracer(tracer, redaction),
  }
}

/**
 * Migrates the database, starts the areas and recovers work interrupted by a crash. The host is then ready.
 * `alone` means that no other process can hold a lease on this database.
 */
export async function startUp(host: Host, { alone }: { alone: boolean }): Promise<void> {
  await migrate(host.sql, host.config.version, iso(host.clock.now()))
  if (!alone) await shareStore(host)
  if (host.config.check_answers) await loadEventSchemas(host)
  await openSealed(host)
  for (const area of host.areas) await area.start?.(host, { alone })
  await commit(host, [bringForward(host)])
  for (const source of sourcesOf(host)) await source.clockSetBack(host, 0)
  const lost = await recoverWork(host, workKinds(host), alone)
  if (lost > 0) {
    const backup = host.process.restored
    const why = backup === null ? 'by the last shutdown' : 'because the store was restored from a backup'
    host.log.write('warn', `work was interrupted ${why}`, { units: lost, ...(backup !== null && { backup }) })
  }
  if (alone) await host.sql.write(endCutRequests())
  host.process.ready = true
  host.process.wake()
}
