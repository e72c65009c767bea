import type { CommandStatus, Device, DeviceStatus } from '../../../runtime/devices/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { byteSize } from '../../parts/numbers.ts'
import type { Status } from '../../parts/status.tsx'

export const stale = ['/api/devices', '/api/device-groups']

/** The titles of capabilities, as one text. */
export function useCapabilityTitles(): (names: readonly string[]) => string {
  const types = useEndpoint('/api/devices/command-types').data?.commands ?? []
  const titleOf = (name: string) => types.find((type) => type.name === name)?.title ?? name
  return (names) => names.map(titleOf).join(', ')
}

export const deviceLabels: Record<DeviceStatus, Status> = {
  online: { label: 'Online', color: 'teal' },
  offline: { label: 'Offline', color: 'gray' },
  stale: { label: 'Not answering', color: 'yellow' },
  revoked: { label: 'Revoked', color: 'red' },
}

export const commandLabels: Record<CommandStatus, Status> = {
  queued: { label: 'Queued', color: 'gray' },
  sent: { label: 'Sent', color: 'ember' },
  running: { label: 'Running', color: 'ember' },
  succeeded: { label: 'Done', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  timed_out: { label: 'Timed out', color: 'red' },
  expired: { label: 'Expired', color: 'yellow' },
  cancelled: { label: 'Cancelled', color: 'gray' },
}

export const platformLabels: Record<Device['platform'], string> = {
  macos: 'macOS',
  windows: 'Windows',
  linux: 'Linux',
  ios: 'iOS',
  android: 'Android',
  browser: 'Browser',
  other: 'Device',
}

/** The latest health figures of a device. */
export function healthFacts({ health }: Device): [string, string][] {
  const percent = (value: number | null) => (value === null ? null : `${Math.round(value)} %`)
  const facts: [string, string | null][] = [
    ['Battery', percent(health.battery_pct)],
    ['Processor', percent(health.cpu_pct)],
    ['Memory', percent(health.memory_pct)],
    ['Free disk', health.disk_free_bytes === null ? null : byteSize(health.disk_free_bytes)],
    ['Latency', health.latency_ms === null ? null : `${Math.round(health.latency_ms)} ms`],
  ]
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}
