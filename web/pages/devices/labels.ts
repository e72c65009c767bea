import type { CommandStatus, Device, DeviceStatus } from '../../../runtime/devices/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { byteSize } from '../../parts/numbers.ts'
import { statusesOf } from '../../parts/statuses.ts'

/** The titles of capabilities, as one text. */
export function useCapabilityTitles(): (names: readonly string[]) => string {
  const types = useEndpoint('/api/devices/command-types').data?.commands ?? []
  const titleOf = (name: string) => types.find((type) => type.name === name)?.title ?? name
  return (names) => names.map(titleOf).join(', ')
}

export const deviceStatus = statusesOf<DeviceStatus>({ stale: 'Not answering' })

export const commandStatus = statusesOf<CommandStatus>({ succeeded: 'Done' }, { expired: 'yellow' })

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
