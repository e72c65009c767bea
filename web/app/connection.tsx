import { Group, Text, Tooltip } from '@mantine/core'
import type { BusState } from '../api/bus.ts'
import classes from './navigation.module.css'
import { useBusState } from './services.tsx'

const shown: Record<BusState, { label: string; color: string; hint: string }> = {
  live: { label: 'Live', color: 'var(--mantine-color-teal-6)', hint: 'Changes appear as they happen' },
  connecting: { label: 'Connecting…', color: 'var(--mantine-color-yellow-6)', hint: 'Waiting for the event bus' },
  offline: { label: 'Offline', color: 'var(--mantine-color-red-6)', hint: 'hearthd does not answer; trying again by itself' },
}

/** Whether what is shown is live. */
export function ConnectionState() {
  const { label, color, hint } = shown[useBusState()]
  return (
    <Tooltip label={hint} position="top-start">
      <Group gap={8} role="status" aria-live="polite">
        <span className={classes.dot} style={{ background: color }} />
        <Text size="xs" c="dimmed">{label}</Text>
      </Group>
    </Tooltip>
  )
}
