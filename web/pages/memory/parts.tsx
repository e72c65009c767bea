import { Badge, Flex, Group, Select, type SelectProps, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Episode } from '../../../runtime/memory/schema.ts'
import { memories } from '../../api/live.ts'
import { useEndpoint } from '../../api/query.ts'
import { useAgents } from '../../parts/agents.ts'
import { announce } from '../../parts/announce.ts'
import { optionsFor } from '../../parts/options.ts'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { sourceLabel, trustLabels } from './labels.ts'
import classes from './memory.module.css'

/** A wide part, and a narrow one at its side, or below it on a small screen. */
export const Columns = ({ children, side }: { children: ReactNode; side: ReactNode }) => (
  <Flex gap="lg" direction={{ base: 'column', md: 'row' }} align={{ base: 'stretch', md: 'flex-start' }}>
    <div className="grow">{children}</div>
    <Stack gap="lg" miw={0} flex={{ base: '0 0 auto', md: '0 0 20rem' }}>
      {side}
    </Stack>
  </Flex>
)

interface EpisodeRowProps {
  episode: Episode
  /** Default: the summary or the content. */
  text?: ReactNode
  /** At the right: the score, or why it is related. */
  note?: ReactNode
}

export function EpisodeRow({ episode, text, note }: EpisodeRowProps) {
  const { id, content, summary, source, trust, topics, created_at } = episode
  return (
    <Link href={`/memory/${id}`} className={`row ${classes.episode}`}>
      <div className="grow">
        <Text size="sm" lineClamp={3} component="div">
          {text ?? (summary || content)}
        </Text>
        <Group gap={6} mt={4}>
          <Hint>
            {sourceLabel(source)} · <Time at={created_at} />
          </Hint>
          {trust === 'external' && (
            <Badge size="xs" color="yellow" leftSection={<IconAlertTriangle size={10} />}>
              {trustLabels.external.label}
            </Badge>
          )}
          {topics.slice(0, 3).map((topic) => (
            <Badge key={topic} size="xs" variant="default">
              {topic}
            </Badge>
          ))}
          {note && <Hint ml="auto">{note}</Hint>}
        </Group>
      </div>
    </Link>
  )
}

interface AgentSelectProps extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  /** Empty for all agents. */
  value?: string
  onChange?: (id: string) => void
}

export function AgentSelect({ value = '', onChange, ...rest }: AgentSelectProps) {
  const agents = useAgents()
  return (
    <Select
      label="Agent"
      placeholder="All agents"
      clearable
      data={optionsFor(agents)}
      value={value || null}
      onChange={(id) => onChange?.(id ?? '')}
      {...rest}
    />
  )
}

/** Nothing if there is only one agent. */
export function AgentFilter(props: AgentSelectProps) {
  const agents = useAgents()
  return agents.length < 2 && !props.value ? null : <AgentSelect w={200} {...props} />
}

/** Also for a deleted memory. */
export const useHistory = (id: string) =>
  useEndpoint('/api/memory/episodes/{id}/history', { params: { id } }, { retry: false })

/** Restores one version, or without a version what the last change replaced. */
export const useRestore = (id: string) =>
  useChange(
    (api, version: number | undefined) =>
      api.post('/api/memory/episodes/{id}/restore', { params: { id }, body: { version } }),
    {
      stale: memories,
      done: () => announce('Restored'),
    },
  )
