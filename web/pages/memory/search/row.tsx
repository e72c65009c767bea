import { Badge, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Episode } from '../../../api/memory.ts'
import { Time } from '../../../parts/time.tsx'
import { sourceLabel, trustLabels } from '../labels.ts'
import classes from '../memory.module.css'

interface EpisodeRowProps {
  episode: Episode
  /** In place of the beginning of its text. */
  text?: ReactNode
  /** At the right of the line below: how well it fits, why it is here. */
  note?: ReactNode
}

export function EpisodeRow({ episode, text, note }: EpisodeRowProps) {
  const { id, content, summary, source, trust, topics, created_at } = episode
  return (
    <Link href={`/memory/${id}`} className={`row ${classes.episode}`}>
      <div className="grow">
        <Text size="sm" lineClamp={3} component="div" className={classes.text}>
          {text ?? (summary || content)}
        </Text>
        <Group gap={6} mt={4}>
          <Text size="xs" c="dimmed" component="span">
            {sourceLabel(source)} · <Time at={created_at} />
          </Text>
          {trust === 'external' && (
            <Badge size="xs" color="yellow" variant="light" leftSection={<IconAlertTriangle size={10} />}>
              {trustLabels.external}
            </Badge>
          )}
          {topics.slice(0, 3).map((topic) => (
            <Badge key={topic} size="xs" variant="default">
              {topic}
            </Badge>
          ))}
          {note && (
            <Text size="xs" c="dimmed" component="span" ml="auto">
              {note}
            </Text>
          )}
        </Group>
      </div>
    </Link>
  )
}
