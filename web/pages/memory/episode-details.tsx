import { Box, Group, Text } from '@mantine/core'
import { IconArrowBackUp, IconThumbDown, IconThumbUp } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Episode, EpisodeDetail, EpisodeVersion } from '../../../runtime/memory/schema.ts'
import { memories } from '../../api/live.ts'
import { useAgentName } from '../../parts/agents.ts'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { List, SkeletonRows } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { moodLabel, percent, sourceLabel, trustLabels } from './labels.ts'
import { useHistory, useRestore } from './parts.tsx'

export function Properties({ episode }: { episode: EpisodeDetail }) {
  const agent = useAgentName(episode.agent_id)
  const trust = trustLabels[episode.trust]
  return (
    <Panel title="Properties">
      <Box component="dl" m={0} px="md" pb="sm" fz="sm">
        <Fact name="Source">{sourceLabel(episode.source)}</Fact>
        <Origin provenance={episode.provenance} />
        <Fact name="Trust">
          {trust.label}
          <Hint>{trust.hint}</Hint>
        </Fact>
        <Fact name="Agent">{agent ?? episode.agent_id ?? 'All agents'}</Fact>
        <Fact name="Importance">{percent(episode.importance)}</Fact>
        <Fact name="Sentiment">{moodLabel(episode.valence)}</Fact>
        <Fact name="Accessed">{counted(episode.access_count, 'time', 'times')}</Fact>
        <Fact name="Created">
          <Time at={episode.created_at} />
        </Fact>
        {episode.updated_at !== episode.created_at && (
          <Fact name="Updated">
            <Time at={episode.updated_at} />
          </Fact>
        )}
        <Fact name="ID">
          <Text span className="mono" size="xs">
            {episode.id}
          </Text>{' '}
          <CopyButton value={episode.id} what="ID" />
        </Fact>
      </Box>
    </Panel>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <Group gap="sm" py="0.25rem" wrap="nowrap" align="flex-start">
    <Box component="dt" flex="0 0 6rem" c="dimmed">
      {name}
    </Box>
    <Box component="dd" m={0} miw={0}>
      {children}
    </Box>
  </Group>
)

function Origin({ provenance }: Pick<EpisodeDetail, 'provenance'>) {
  if (!provenance) return null
  const { conversation_id, message_id, channel, url } = provenance
  const at = message_id ? `?at=${message_id}` : ''
  return (
    <>
      {conversation_id && (
        <Fact name="Conversation">
          <TextLink href={`/chat/${conversation_id}${at}`}>Open conversation</TextLink>
        </Fact>
      )}
      {channel && <Fact name="Channel">{channel}</Fact>}
      {/* Not a link: the address comes from outside and must not be opened by accident. */}
      {url && (
        <Fact name="Page">
          <span className="mono">{url}</span>
        </Fact>
      )}
    </>
  )
}

/** How often the memory helped, and the person's own rating. */
export function Feedback({ episode: { id, feedback } }: { episode: EpisodeDetail }) {
  const rate = useChange(
    (api, used: boolean) => api.post('/api/memory/episodes/{id}/feedback', { params: { id }, body: { used } }),
    {
      stale: memories,
      done: () => announce('Feedback saved'),
    },
  )
  return (
    <Panel title="Feedback">
      <Box px="md" pb="md">
        <Text size="sm">
          Recalled {counted(feedback.recalled, 'time', 'times')}: used {feedback.used}, ignored {feedback.ignored}
        </Text>
        <Hint mb="sm">Useful memories are recalled first.</Hint>
        <Group gap="xs">
          <SmallButton icon={IconThumbUp} disabled={rate.isPending} onClick={() => rate.mutate(true)}>
            Useful
          </SmallButton>
          <SmallButton icon={IconThumbDown} disabled={rate.isPending} onClick={() => rate.mutate(false)}>
            Not useful
          </SmallButton>
        </Group>
      </Box>
    </Panel>
  )
}

/** The versions before each change; each can be restored. */
export function History({ episode }: { episode: EpisodeDetail }) {
  const query = useHistory(episode.id)
  return (
    <Panel title="History">
      <div className="divided">
        <List
          query={query}
          what="The history"
          items="versions"
          empty="No changes"
          skeleton={<SkeletonRows count={2} />}
        >
          {(version, index) => (
            <Version
              key={version.version}
              version={version}
              next={query.data?.versions[index - 1]?.episode ?? episode}
            />
          )}
        </List>
      </div>
    </Panel>
  )
}

type Compared = Pick<Episode, (typeof members)[number]>

const changes = { updated: 'Edited', deleted: 'Deleted', restored: 'Restored' }

function Version({ version, next }: { version: EpisodeVersion; next: Compared }) {
  const restore = useRestore(version.episode.id)
  const { change, changed_at, changed_by, episode } = version
  return (
    <Box component="article" px="md" py="0.6rem">
      <Text size="sm" component="div">
        {changes[change]} by {changed_by}, <Time at={changed_at} />
      </Text>
      <Hint>{differences(episode, next)}</Hint>
      <details>
        <Text component="summary" size="xs" w="fit-content" style={{ cursor: 'pointer' }}>
          Show this version
        </Text>
        <Text size="xs" className="verbatim" mt={4}>
          {episode.content}
        </Text>
      </details>
      <SmallButton
        mt={6}
        size="compact-xs"
        icon={IconArrowBackUp}
        loading={restore.isPending}
        onClick={() => restore.mutate(version.version)}
      >
        Restore
      </SmallButton>
    </Box>
  )
}

const members = ['content', 'summary', 'topics', 'importance', 'valence', 'agent_id'] as const

function differences(before: Compared, after: Compared): string {
  const differ = members.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const names = differ.map((name) => (name === 'valence' ? 'sentiment' : name.replace('_id', '')))
  return differ.length === 0 ? 'No differences' : `Changed: ${names.join(', ')}`
}
