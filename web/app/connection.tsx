import { Group, Text, Tooltip } from '@mantine/core'
import type { BusState } from '../api/bus.ts'
import { Dot } from '../parts/dot.tsx'
import { useBusState } from './services.tsx'

const shown = {
  live: { label: 'Live', color: 'teal', hint: 'Changes appear as they happen' },
  connecting: { label: 'Connecting…', color: 'yellow', hint: 'Waiting for the event bus' },
  offline: { label: 'Offline', color: 'red', hint: 'hearthd does not answer; trying again by itself' },
} as const satisfies Record<BusState, object>

/** Whether what is shown is live. */
export function ConnectionState() {
  const { label, color, hint } = shown[useBusState()]
  return (
    <Tooltip label={hint} position="top-start">
      <Group gap={8} role="status">
        <Dot color={color} />
        <Text size="xs" c="dimmed">
          {label}
        </Text>
      </Group>
    </Tooltip>
  )
}
