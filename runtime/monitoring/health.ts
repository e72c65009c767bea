import { z } from 'zod'
import { countSessions } from '../auth/store.ts'
import type { Host } from '../host.ts'
import { lastProbe, probeStore } from '../http/idempotency.ts'
import { probeIndex } from '../memory/index.ts'
import { StoreUnavailable, StoreUncertain, StoreUnreachable } from '../ports/sql.ts'
import { showProviders } from '../providers/index.ts'
import { countJobs } from '../scheduler/index.ts'
import { iso, minute, second } from '../time.ts'
import { WorkStatus } from '../work/schema.ts'
import { countOverdueWork, countWork } from '../work/store.ts'
import { AlertState } from './alert-schema.ts'
import { countAlertsByState } from './alert-store.ts'

const Time = z.string().meta({ format: 'date-time' })

export const ComponentId = z.enum(['api', 'db', 'workers', 'memory', 'ai'])
export type ComponentId = z.output<typeof ComponentId>

/** `degraded` works with limits, `down` does not. */
export const ComponentStatus = z.enum(['healthy', 'degraded', 'down'])
export type ComponentStatus = z.output<typeof ComponentStatus>

export const Component = z.object({
  id: ComponentId,
  name: z.string(),
  status: ComponentStatus,
  latency: z.number().meta({ description: 'Milliseconds that the check took' }),
  message: z.string().optional(),
  last_check: Time,
})
export type Component = z.output<typeof Component>

export const HealthReport = z.object({
  overall: ComponentStatus,
  uptime: z.number().meta({ description: 'Seconds' }),
  version: z.string(),
  components: z.array(Component),
  last_check: Time,
})
export type HealthReport = z.output<typeof HealthReport>

export const Vitals = z.object({
  status: z.enum(['healthy', 'starting', 'stopping']),
  version: z.string().optional(),
  uptime_seconds: z.int().optional(),
})
export type Vitals = z.output<typeof Vitals>

export interface Finding {
  status: ComponentStatus
  message?: string
}

export interface Check {
  name: string
  /** Throws when the component is down. */
  run(host: Host): Promise<Finding>
}

const healthy: Finding = { status: 'healthy' }
const unreachable: Finding = {
  status: 'down',
  message: 'The database server cannot be reached; this daemon takes no work until it can',
}

/** Bytes. With less than this the next large write may fail. */
const minFreeSpace = 8 * 1024 * 1024

/** Each check tries what its component must be able to do. None calls a model or another machine. */
export const checks: Record<ComponentId, Check> = {
  api: { name: 'API', run: checkApi },
  db: { name: 'Database', run: checkDatabase },
  workers: { name: 'Workers', run: checkWorkers },
  memory: { name: 'Memory', run: checkMemory },
  ai: { name: 'AI models', run: checkModels },
}

async function checkApi({ process }: Host): Promise<Finding> {
  if (process.stopping.aborted) return { status: 'down', message: 'hearthd is stopping' }
  return process.ready ? healthy : { status: 'down', message: 'hearthd is starting' }
}

/** Readiness is public and a probe costs an fsync, so there is at most one a second. */
const probeInterval = second

async function probe(host: Host): Promise<void> {
  const now = host.clock.now()
  const last = Date.parse((await lastProbe(host)) ?? '')
  if (Math.abs(now - last) < probeInterval) return
  await probeStore(host, iso(now))
}

/** Reads and writes the database, and checks the free space. */
export async function checkDatabase(host: Host): Promise<Finding> {
  try {
    await probe(host)
  } catch (thrown) {
    if (host.process.shared && (thrown instanceof StoreUnreachable || thrown instanceof StoreUncertain))
      return unreachable
    if (thrown instanceof StoreUnavailable) return { status: 'down', message: 'The database cannot be written' }
    throw thrown
  }
  const disk = await host.machine.disk()
  if (disk && disk.free_bytes < minFreeSpace)
    return { status: 'down', message: 'The disk that holds the database is full' }
  return healthy
}

async function checkWorkers(host: Host): Promise<Finding> {
  const waiting = await countOverdueWork(host, iso(host.clock.now() - minute))
  if (waiting === 0) return healthy
  return { status: 'degraded', message: `${waiting} units of work have been due for more than a minute` }
}

async function checkMemory(host: Host): Promise<Finding> {
  await probeIndex(host)
  return healthy
}

async function checkModels(host: Host): Promise<Finding> {
  const { providers } = await showProviders(host)
  const configured = providers.filter((provider) => provider.configured)
  if (configured.length === 0)
    return { status: 'healthy', message: 'Only the built-in offline model; no provider is configured' }
  const failing = configured.filter(({ status }) => status === 'error' || status === 'cooldown').map(({ name }) => name)
  if (failing.length === 0) return healthy
  return { status: 'degraded', message: `Not available at the moment: ${failing.join(', ')}` }
}

const worstFirst: readonly ComponentStatus[] = ['down', 'degraded', 'healthy']

/** Checks every component now. */
export async function checkAll(host: Host): Promise<HealthReport> {
  const components: Component[] = []
  for (const id of ComponentId.options) components.push(await checkComponent(host, id))
  const overall = worstFirst.find((status) => components.some((component) => component.status === status)) ?? 'healthy'
  return {
    overall,
    uptime: uptime(host),
    version: host.config.version,
    components,
    last_check: iso(host.clock.now()),
  }
}

export async function checkComponent(host: Host, id: ComponentId): Promise<Component> {
  const begun = host.clock.now()
  const finding = await attempt(host, checks[id])
  const now = host.clock.now()
  return { id, name: checks[id].name, ...finding, latency: Math.max(0, now - begun), last_check: iso(now) }
}

async function attempt(host: Host, check: Check): Promise<Finding> {
  try {
    return await check.run(host)
  } catch (thrown) {
    if (thrown instanceof StoreUnreachable) return unreachable
    host.log.write('error', `the check of ${check.name} failed`, { cause: thrown })
    return { status: 'down', message: 'The check failed; see the log' }
  }
}

/** Why this process cannot serve: `startup`, `shutdown` or `db`; empty when it is ready. */
export async function notReady(host: Host): Promise<string[]> {
  if (host.process.stopping.aborted) return ['shutdown']
  if (!host.process.ready) return ['startup']
  const finding = await attempt(host, { name: 'readiness', run: checkDatabase })
  return finding.status === 'down' ? ['db'] : []
}

/** Version and uptime are only for callers who may see `details`. */
export function vitals(host: Host, details: boolean): Vitals {
  const { stopping, ready } = host.process
  const status = stopping.aborted ? 'stopping' : ready ? 'healthy' : 'starting'
  return details ? { status, version: host.config.version, uptime_seconds: uptime(host) } : { status }
}

const uptime = ({ clock, process }: Host) => Math.max(0, Math.floor((clock.now() - process.started_at) / second))

/** Sets the gauges that are computed when metrics are read. Aggregates only, because the endpoint is public. */
export async function updateGauges(host: Host): Promise<void> {
  const { metrics, clock, process } = host
  metrics.gauge('active_sessions', {}, await countSessions(host, iso(clock.now())))
  metrics.gauge('open_connections', {}, process.connections.size)
  metrics.gauge('uptime_seconds', {}, (clock.now() - process.started_at) / second)
  metrics.gauge('build_info', { version: host.config.version }, 1)
  metrics.gauge('scheduler_jobs_active', {}, (await countJobs(host)).active ?? 0)
  const [work, alerts] = [await countWork(host), await countAlertsByState(host)]
  // Report 0 for a status without rows; otherwise its gauge would keep the last value.
  for (const status of WorkStatus.options) metrics.gauge('work_units', { status }, work[status] ?? 0)
  for (const state of AlertState.options) metrics.gauge('alerts', { state }, alerts[state] ?? 0)
  metrics.gauge('work_overdue', {}, await countOverdueWork(host, iso(clock.now() - minute)))
  const { bytes, wal_bytes } = await host.sql.size()
  metrics.gauge('database_bytes', {}, bytes + wal_bytes)
  await updateMachineGauges(host)
}

/** Figures that are unknown on this host have no gauge. */
async function updateMachineGauges({ machine, metrics }: Host): Promise<void> {
  const [resident, disk, load] = [machine.residentBytes(), await machine.disk(), await machine.load()]
  if (resident !== null) metrics.gauge('resident_memory_bytes', {}, resident)
  if (disk) {
    metrics.gauge('disk_free_bytes', {}, disk.free_bytes)
    metrics.gauge('disk_size_bytes', {}, disk.total_bytes)
  }
  if (!load) return
  metrics.gauge('cpu_usage_ratio', {}, load.cpu_pct / 100)
  metrics.gauge('event_loop_lag_seconds', {}, load.event_loop_lag_ms / second)
  metrics.gauge('machine_memory_free_bytes', {}, load.memory.free_bytes)
}
