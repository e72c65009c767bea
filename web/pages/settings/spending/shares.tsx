import { Group, Progress, SimpleGrid, Text, Title } from '@mantine/core'
import type { Usage } from '../../../api/monitoring.ts'
import { money, whole } from '../../../parts/numbers.ts'

interface Share {
  name: string
  tokens: number
  cost: number | null
}

const categories: Record<string, string> = {
  chat: 'Chats',
  scheduled: 'Schedules',
  internal: 'Own upkeep',
  project_developer: 'Project developer',
  loops: 'Loops',
  projects: 'Projects',
}

/** The same tokens by model, by agent and by what they were for. */
export function Shares({ usage: { by_model, by_agent, breakdown } }: { usage: Usage }) {
  const models = Object.values(by_model).map(({ model, total_tokens, cost_estimate }) => ({
    name: model,
    tokens: total_tokens,
    cost: cost_estimate,
  }))
  const agents = by_agent.map(({ agent_name, tokens_used, cost_usd }) => ({
    name: agent_name ?? 'No agent',
    tokens: tokens_used,
    cost: cost_usd,
  }))
  const purposes = Object.entries(breakdown).map(([category, tokens]) => ({
    name: categories[category] ?? category,
    tokens,
    cost: null,
  }))
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl">
      <ShareList title="By model" shares={models} />
      <ShareList title="By agent" shares={agents} />
      <ShareList title="By purpose" shares={purposes} />
    </SimpleGrid>
  )
}

function ShareList({ title, shares }: { title: string; shares: Share[] }) {
  const used = shares.filter(({ tokens }) => tokens > 0).toSorted((a, b) => b.tokens - a.tokens)
  const total = used.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <section aria-label={title}>
      <Title order={3} size="sm" mb="xs">
        {title}
      </Title>
      {used.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing in this time
        </Text>
      )}
      {used.map(({ name, tokens, cost }) => (
        <div key={name} style={{ marginBottom: 10 }}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" truncate>
              {name}
            </Text>
            <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
              {whole(tokens)}
              {cost !== null && ` · ${money(cost)}`}
            </Text>
          </Group>
          <Progress size="sm" value={(tokens / total) * 100} aria-label={`${name}, share of the tokens`} />
        </div>
      ))}
    </section>
  )
}
