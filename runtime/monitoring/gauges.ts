import type { Host } from '../host.ts'
import { countJobs } from '../scheduler/job-store.ts'
import { iso, second } from '../time.ts'
import { countWork } from '../work/store.ts'
import { countSessions } from './store.ts'

/** Sets what is counted when it is asked for, not when it happens. Aggregates only: anybody may read them. */
export async function updateGauges(host: Host): Promise<void> {
  const { metrics, clock, process } = host
  metrics.gauge('active_sessions', {}, await countSessions(host, iso(clock.now())))
  metrics.gauge('open_connections', {}, process.connections.size)
  metrics.gauge('uptime_seconds', {}, (clock.now() - process.started_at) / second)
  for (const [status, count] of Object.entries(await countWork(host)))
    metrics.gauge('work_units', { status }, count)
  metrics.gauge('scheduler_jobs_active', {}, (await countJobs(host)).active ?? 0)
  const resident = host.machine.residentBytes()
  if (resident !== null) metrics.gauge('resident_memory_bytes', {}, resident)
  const { bytes, wal_bytes } = await host.sql.size()
  metrics.gauge('database_bytes', {}, bytes + wal_bytes)
}
