import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AnswerOf } from '../api/client.ts'
import { ApiError } from '../api/error.ts'
import { useEndpoint } from '../api/query.ts'
import { useUnreachable } from '../app/services.tsx'
import { Loaded, SkeletonRows } from './list.tsx'
import { duration } from './numbers.ts'
import { Panel } from './page.tsx'
import { Dot } from './status.tsx'
import { capitalized } from './text.ts'
import { Hint, TextLink } from './typography.tsx'

const colors = { healthy: 'teal', degraded: 'yellow', down: 'red' } as const

/** Health of the components, including firing alerts. */
export function Health({ action }: { action?: ReactNode }) {
  const health = useEndpoint('/api/monitoring/health')
  if (health.error instanceof ApiError && health.error.status === 404) return null
  return (
    <Panel title="Health" action={action}>
      <Loaded query={health} what="Health" skeleton={<SkeletonRows count={5} height={26} />}>
        {({ components, uptime, version }) => (
          <Stack gap={6} px="md" pb="md">
            {components.map((component) => (
              <ComponentHealth key={component.id} component={component} />
            ))}
            <FiringAlerts />
            <Hint mt={4}>
              hearthd {version} · up {duration(uptime)}
            </Hint>
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

type Component = AnswerOf<'GET', '/api/monitoring/health'>['components'][number]

function ComponentHealth({ component: { name, status, message } }: { component: Component }) {
  const unknown = useUnreachable()
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <Dot color={unknown ? 'gray' : colors[status]} />
        <Text size="sm" className="grow">
          {name}
        </Text>
        <Hint>{capitalized(unknown ? 'unknown' : status)}</Hint>
      </Group>
      {message && !unknown && <Hint pl={18}>{message}</Hint>}
    </div>
  )
}

function FiringAlerts() {
  const alerts = useEndpoint('/api/monitoring/alerts', { query: { limit: 200 } }).data?.alerts ?? []
  return alerts
    .filter(({ state }) => state === 'firing')
    .map(({ id, name }) => (
      <Group key={id} gap="xs" wrap="nowrap">
        <Dot color="red" />
        <TextLink href={`/monitor/alerts/${id}`}>{name}</TextLink>
        <Hint>Alert</Hint>
      </Group>
    ))
}
