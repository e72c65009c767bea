import type { Host } from '../host.ts'
import { iso, second } from '../time.ts'
import { type Check, checkDatabase, checks, type Finding } from './checks.ts'
import {
  type Component,
  ComponentId,
  type ComponentStatus,
  type HealthReport,
  type Vitals,
} from './schema.ts'

const worstFirst: readonly ComponentStatus[] = ['down', 'degraded', 'healthy']

/** Tries every component now. */
export async function examine(host: Host): Promise<HealthReport> {
  const components: Component[] = []
  for (const id of ComponentId.options) components.push(await examineComponent(host, id))
  const overall =
    worstFirst.find((status) => components.some((component) => component.status === status)) ?? 'healthy'
  return {
    overall,
    uptime: uptime(host),
    version: host.config.version,
    components,
    last_check: iso(host.clock.now()),
  }
}

export async function examineComponent(host: Host, id: ComponentId): Promise<Component> {
  const begun = host.clock.now()
  const finding = await attempt(host, checks[id])
  const now = host.clock.now()
  return { id, name: checks[id].name, ...finding, latency: Math.max(0, now - begun), last_check: iso(now) }
}

async function attempt(host: Host, check: Check): Promise<Finding> {
  try {
    return await check.run(host)
  } catch (thrown) {
    host.log.write('error', `the check of ${check.name} failed`, { cause: thrown })
    return { status: 'down', message: 'The check failed; the log says why' }
  }
}

/** What keeps this process from serving: `startup`, `shutdown` or `db`; empty when it is ready. */
export async function notReady(host: Host): Promise<string[]> {
  if (host.process.stopping.aborted) return ['shutdown']
  if (!host.process.ready) return ['startup']
  const finding = await attempt(host, { name: 'readiness', run: checkDatabase })
  return finding.status === 'down' ? ['db'] : []
}

/** `details` only for those who may have them. */
export function vitals(host: Host, details: boolean): Vitals {
  const { stopping, ready } = host.process
  const status = stopping.aborted ? 'stopping' : ready ? 'healthy' : 'starting'
  return details ? { status, version: host.config.version, uptime_seconds: uptime(host) } : { status }
}

const uptime = ({ clock, process }: Host) =>
  Math.max(0, Math.floor((clock.now() - process.started_at) / second))
