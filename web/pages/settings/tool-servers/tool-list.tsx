import { Badge, Group, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import type { ToolEntry, ToolServer } from '../../../api/tool-servers.ts'
import { JsonView } from '../../../parts/json-view.tsx'
import { allowWith, isAllowed } from './allow.ts'
import { useServer } from './use-server.ts'

const risks: Record<ToolEntry['risk'], { label: string; color: string }> = {
  low: { label: 'Only reads', color: 'gray' },
  medium: { label: 'Changes things', color: 'yellow' },
  high: { label: 'May destroy', color: 'red' },
}

/** Each tool of a server, with a switch for whether agents may be given it. */
export function ToolList({ server }: { server: ToolServer }) {
  const { change } = useServer(server)
  const patterns = change.isPending ? (change.variables.tool_allow ?? server.tool_allow) : server.tool_allow
  const names = server.tools.map(({ name }) => name)
  return (
    <Stack gap="xs" mt="sm" component="ul" p={0} style={{ listStyle: 'none' }}>
      {server.tools.map(({ name, title, description, risk, change: changed }) => (
        <Group key={name} component="li" wrap="nowrap" align="flex-start" gap="sm">
          <Switch
            size="sm"
            mt={2}
            aria-label={`Allow ${name}`}
            checked={isAllowed(patterns, name)}
            onChange={(event) =>
              change.mutate({
                tool_allow: allowWith(patterns, names, { name, allowed: event.currentTarget.checked }),
              })
            }
          />
          <div className="grow">
            <Group gap={6}>
              <Text size="sm" className="mono">
                {name}
              </Text>
              <Badge size="xs" variant="light" color={risks[risk].color}>
                {risks[risk].label}
              </Badge>
            </Group>
            <Text size="xs" c="dimmed" lineClamp={2}>
              {description || title}
            </Text>
            {changed && <Changed {...changed} />}
          </div>
        </Group>
      ))}
    </Stack>
  )
}

/** What a person agrees to by approving it again. */
function Changed({ before, after }: NonNullable<ToolEntry['change']>) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt={4}>
      <JsonView label="As approved" value={before} />
      <JsonView label="As it is now" value={after} />
    </SimpleGrid>
  )
}
