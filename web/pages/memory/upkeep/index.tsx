import { Anchor, SimpleGrid, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { Consolidation } from './consolidation.tsx'
import { Generation } from './generation.tsx'
import { MemoryExport, MemoryImport } from './transfer.tsx'
import { WipePanel } from './wipe.tsx'

/** What keeps the memory in order: each job by hand, what takes it along, and what ends it. */
export const Upkeep = () => (
  <Stack gap="lg">
    <Text size="sm" c="dimmed">
      New conversations are kept and read by themselves.{' '}
      <Anchor component={Link} href="/settings/memory" size="sm">
        Settings of memory
      </Anchor>{' '}
      say when, and what is forgotten.
    </Text>
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Generation />
      <Consolidation />
      <MemoryExport />
      <MemoryImport />
      <WipePanel />
    </SimpleGrid>
  </Stack>
)
