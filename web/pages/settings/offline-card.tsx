import { Badge, Group, Stack, Text } from '@mantine/core'

/** The model that needs nothing: always there, never mistaken for a real one. */
export function OfflineCard({ name, description }: { name: string; description: string }) {
  return (
    <Stack component="article" className="card" p="md" gap="xs" aria-label={name}>
      <Group justify="space-between" wrap="nowrap">
        <Text component="h2" fw={600}>
          {name}
        </Text>
        <Badge variant="light" color="gray">
          Built in
        </Badge>
      </Group>
      <Text size="sm" c="dimmed">
        {description}
      </Text>
    </Stack>
  )
}
