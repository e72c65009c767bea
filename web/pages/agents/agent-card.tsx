import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconMessageCircle, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Agent, agentStatsQuery } from '../../api/agents.ts'
import { useApi } from '../../app/services.tsx'
import { Face } from '../../parts/face.tsx'
import { counted, money, whole } from '../../parts/numbers.ts'
import { AgentMenu } from './agent-menu.tsx'
import { modeLabels } from './labels.ts'

export function AgentCard({ agent }: { agent: Agent }) {
  return (
    <Stack
      component="article"
      className="card"
      p="md"
      gap="sm"
      aria-label={agent.name}
      justify="space-between"
    >
      <div>
        <Group wrap="nowrap" align="flex-start" gap="sm">
          <Face name={agent.name} url={agent.avatar} />
          <div className="grow">
            <Text component="h2" fw={600} truncate>
              {agent.name}
            </Text>
            <Group gap={6}>
              {agent.is_default && (
                <Badge size="sm" variant="light">
                  Default
                </Badge>
              )}
              {!agent.enabled && (
                <Badge size="sm" variant="light" color="gray">
                  Off
                </Badge>
              )}
              <Badge size="sm" variant="default" tt="none">
                {modelOf(agent)}
              </Badge>
            </Group>
          </div>
          <AgentMenu agent={agent} />
        </Group>
        <Text size="sm" c="dimmed" mt="sm" lineClamp={2}>
          {agent.description || 'No description'}
        </Text>
      </div>
      <div>
        <Text size="xs" c="dimmed">
          {modeLabels[agent.execution_mode]}
        </Text>
        <Stats id={agent.id} />
        <Group gap="xs" mt="sm">
          {agent.enabled && (
            <Button
              component={Link}
              href={`/chat?agent=${agent.id}`}
              size="xs"
              variant="light"
              leftSection={<IconMessageCircle size={14} />}
            >
              Chat
            </Button>
          )}
          <Button
            component={Link}
            href={`/agents/${agent.id}`}
            size="xs"
            variant="default"
            leftSection={<IconPencil size={14} />}
          >
            Edit
          </Button>
        </Group>
      </div>
    </Stack>
  )
}

function Stats({ id }: { id: string }) {
  const stats = useQuery(agentStatsQuery(useApi(), id)).data
  // A space of its own height, so that nothing moves when the numbers come.
  if (!stats) return <Text size="xs"> </Text>
  return (
    <Text size="xs" c="dimmed">
      {counted(stats.conversations, 'chat', 'chats')} · {counted(stats.turns, 'turn', 'turns')}
      {stats.failed_turns > 0 && ` (${whole(stats.failed_turns)} failed)`} ·{' '}
      {whole(stats.input_tokens + stats.output_tokens)} tokens · {money(stats.cost_usd)}
    </Text>
  )
}

const modelOf = ({ model }: Agent) => model.model ?? model.provider ?? 'Automatic model'
