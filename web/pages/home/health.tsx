import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/error.ts'
import { type HealthComponent, healthQuery } from '../../api/monitoring.ts'
import { useApi } from '../../app/services.tsx'
import { Dot } from '../../parts/dot.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { duration } from '../../parts/numbers.ts'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'

const colors = { healthy: 'teal', degraded: 'yellow', down: 'red' } as const

export function Health() {
  const health = useQuery(healthQuery(useApi()))
  if (health.error instanceof ApiError && health.error.status === 404) return null
  return (
    <Panel title="Health">
      <Loaded query={health} what="Health" skeleton={<SkeletonRows count={5} height={26} />}>
        {({ components, uptime, version }) => (
          <Stack gap={6} px="md" pb="md">
            {components.map((component) => (
              <Component key={component.id} component={component} />
            ))}
            <Text size="xs" c="dimmed" mt={4}>
              hearthd {version} · up {duration(uptime)}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

function Component({ component: { name, status, message } }: { component: HealthComponent }) {
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <Dot color={colors[status]} />
        <Text size="sm" className="grow">
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {status}
        </Text>
      </Group>
      {message && (
        <Text size="xs" c="dimmed" pl={18}>
          {message}
        </Text>
      )}
    </div>
  )
}
