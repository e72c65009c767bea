import { Code, Group } from '@mantine/core'
import { CopyButton } from '../../../parts/copy-button.tsx'

/** Something to run in a terminal. */
export function Command({ value, what }: { value: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{value}</Code>
      <CopyButton value={value} what={what} />
    </Group>
  )
}
