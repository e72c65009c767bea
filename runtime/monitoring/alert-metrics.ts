import { systemCaller } from '../auth/caller.ts'
import { everyone } from '../auth/owner.ts'
import { daemonTimeZone } from '../auth/profile.ts'
import { countOffline } from '../devices/index.ts'
import { countAllEvents } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { sumOf } from '../ledger/ledger-store.ts'
import { showUsage } from '../providers/index.ts'
import { iso, minute } from '../time.ts'
import { countOverdueWork } from '../work/store.ts'
import { dayLabel, startOfDay, zoneReader } from '../zones/wall-clock.ts'
import type { MetricName } from './alert-schema.ts'
import { errorRateSince } from './performance.ts'
import { tokensIn } from './usage.ts'

/** Null if unknown on this host. `since` is the start of the alert's period. */
type Metric = (host: Host, since: number) => Promise<number | null>

const megabyte = 1024 * 1024

/** The metrics that conditions can use, by name. */
const metrics: Record<MetricName, Metric> = {
  tokens_today: async (host) => tokensIn(await spentToday(host)),
  cost_today: async (host) => (await spentToday(host)).cost_usd,
  error_rate: errorRateSince,
  failed_runs: (host, since) => countAllEvents(host, ['job.run.failed', 'workflow.run.failed'], iso(since)),
  missed_runs: (host, since) => countAllEvents(host, ['job.run.missed'], iso(since)),
  queue_depth: (host) => countOverdueWork(host, iso(host.clock.now())),
  async disk_free_pct(host) {
    const disk = await host.machine.disk()
    return disk && disk.total_bytes > 0 ? (disk.free_bytes / disk.total_bytes) * 100 : null
  },
  async rss_mb(host) {
    const bytes = host.machine.residentBytes()
    return bytes === null ? null : bytes / megabyte
  },
  cpu_pct: async (host) => (await host.machine.load())?.cpu_pct ?? null,
  async provider_heat(host) {
    const usage = (await showUsage(host)).filter(({ configured }) => configured)
    return Math.max(0, ...usage.map(({ heat }) => heatLevels[heat.level]))
  },
  devices_offline: countOffline,
}

const heatLevels = { cool: 0, near: 1, out: 2 }

/** Current metrics: a condition that uses one fires when it was true during its whole period. */
export const momentary: ReadonlySet<MetricName> = new Set<MetricName>([
  'queue_depth',
  'disk_free_pct',
  'rss_mb',
  'cpu_pct',
  'provider_heat',
  'devices_offline',
])

/** Usage of all owners since the start of the day, in the daemon's time zone. */
async function spentToday(host: Host) {
  const now = host.clock.now()
  const read = zoneReader(await daemonTimeZone(host))
  const reader = { sql: host.sql, caller: { ...systemCaller, owner_id: everyone } }
  return sumOf(reader, { from: startOfDay(dayLabel(read(now)), read), to: now + 1 })
}

/** Computes only the requested metrics. */
export async function readMetrics(
  host: Host,
  names: readonly MetricName[],
  period_minutes: number,
): Promise<Partial<Record<MetricName, number | null>>> {
  const since = host.clock.now() - period_minutes * minute
  const read: Partial<Record<MetricName, number | null>> = {}
  for (const name of names) read[name] = await metrics[name](host, since)
  return read
}
