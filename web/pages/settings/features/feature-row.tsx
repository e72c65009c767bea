import { Badge, Group, Text } from '@mantine/core'
import type { Feature } from '../../../api/features.ts'
import { Command } from './command.tsx'

const states: Record<Feature['status'], { label: string; color: string }> = {
  ok: { label: 'Ready', color: 'teal' },
  missing: { label: 'Missing', color: 'orange' },
  'not-installed': { label: 'Not installed', color: 'gray' },
  unsupported: { label: 'Not for this machine', color: 'gray' },
}

export function StatusChip({ status }: { status: Feature['status'] }) {
  const { label, color } = states[status]
  return (
    // The colour of the text is that of all text: light colours on their own tint are too faint to read.
    <Badge size="sm" variant="light" color={color} c="var(--mantine-color-text)">
      {label}
    </Badge>
  )
}

export function FeatureRow({ feature }: { feature: Feature }) {
  const { title, status, note, unsupported_reason, command } = feature
  const told = unsupported_reason ?? note
  return (
    <article className="row" style={{ display: 'block' }} aria-label={title}>
      <Group gap={6}>
        <Text fw={500}>{title}</Text>
        <StatusChip status={status} />
      </Group>
      {told && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {told}
        </Text>
      )}
      {command && <Command value={command} what="command" />}
    </article>
  )
}
