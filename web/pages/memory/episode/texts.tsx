import { Badge, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { EpisodeDetail } from '../../../api/memory.ts'
import { Panel } from '../../../parts/panel.tsx'
import { typeLabels } from '../labels.ts'
import classes from '../memory.module.css'

export function Texts({
  episode: { content, reply, summary, topics, entities },
}: {
  episode: EpisodeDetail
}) {
  return (
    <Panel title="What is remembered">
      <Stack px="md" pb="md" gap="md">
        {summary && (
          <Text size="sm" c="dimmed">
            {summary}
          </Text>
        )}
        <Text className={classes.content}>{content}</Text>
        {reply && (
          <div className={classes.reply}>
            <Text size="xs" c="dimmed" mb={2}>
              The answer
            </Text>
            <Text size="sm" className={classes.content}>
              {reply}
            </Text>
          </div>
        )}
        {topics.length > 0 && (
          <Group gap={6} role="group" aria-label="Topics">
            {topics.map((topic) => (
              <Badge
                key={topic}
                component={Link}
                href={`/memory?q=${encodeURIComponent(topic)}`}
                variant="light"
                className={classes.chip}
              >
                {topic}
              </Badge>
            ))}
          </Group>
        )}
        {entities.length > 0 && (
          <Group gap={6} role="group" aria-label="Mentions">
            {entities.map(({ id, name, type }) => (
              <Badge
                key={id}
                component={Link}
                href={`/memory/graph?entity=${id}`}
                variant="default"
                className={classes.chip}
              >
                {name} · {typeLabels[type].toLowerCase()}
              </Badge>
            ))}
          </Group>
        )}
      </Stack>
    </Panel>
  )
}
