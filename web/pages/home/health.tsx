import { Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/error.ts'
import { type HealthComponent, healthQuery } from '../../api/monitoring.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { duration } from '../../parts/numbers.ts'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'

export function Health() {
  const health = useQuery(healthQuery(useApi()))
  if (health.error instanceof ApiError && health.error.status === 404) return null
  return (
    <Panel title="Health" action={health.data && <Status status={health.data.overall} />}>
      <Loaded query={health} what="Health" skeleton={<SkeletonRows count={4} height={26} />}>
        {({ components, uptime, version }) => (
          <Stack gap={6} px="md" pb="md">
            {components.map((component) => (
              <Component key={component.id} component={component} />
            ))}
            <Text size="xs" c="dimmed" mt={4}>hearthd {version} · up {duration(uptime)}</Text>
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

function Component({ component }: { component: HealthComponent }) {
  return (
    <div>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{component.name}</Text>
        <Status status={component.status} />
      </Group>
      {component.message && <Text size="xs" c="dimmed">{component.message}</Text>}
    </div>
  )
}

const colors: Record<HealthComponent['status'], string> = { healthy: 'teal', degraded: 'yellow', down: 'red' }

function Status({ status }: { status: HealthComponent['status'] }) {
  return <Badge size="sm" variant="light" color={colors[status]}>{status}</Badge>
}
