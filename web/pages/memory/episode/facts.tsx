import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { agentsQuery } from '../../../api/agents.ts'
import type { EpisodeDetail } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { counted } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'
import { Time } from '../../../parts/time.tsx'
import { moodLabel, percent, sourceLabel, trustLabels } from '../labels.ts'
import classes from '../memory.module.css'

const trustHints = {
  owner: 'You said or wrote it',
  agent: 'An agent put it down',
  external: 'From a page, a channel or somebody else: agents do not take it for an order',
}

/** Where it came from and what it weighs. */
export function Facts({ episode }: { episode: EpisodeDetail }) {
  const agents = useQuery(agentsQuery(useApi())).data?.agents ?? []
  const agent = agents.find(({ id }) => id === episode.agent_id)
  return (
    <Panel title="About it">
      <dl className={classes.facts}>
        <Fact name="Source">{sourceLabel(episode.source)}</Fact>
        <Origin provenance={episode.provenance} />
        <Fact name="Trust">
          {trustLabels[episode.trust]}
          <Text size="xs" c="dimmed">
            {trustHints[episode.trust]}
          </Text>
        </Fact>
        <Fact name="Belongs to">{agent?.name ?? episode.agent_id ?? 'All agents'}</Fact>
        <Fact name="Importance">{percent(episode.importance)}</Fact>
        <Fact name="Feeling">{moodLabel(episode.valence)}</Fact>
        <Fact name="Looked up">{counted(episode.access_count, 'time', 'times')}</Fact>
        <Fact name="Since">
          <Time at={episode.created_at} />
        </Fact>
        {episode.updated_at !== episode.created_at && (
          <Fact name="Changed">
            <Time at={episode.updated_at} />
          </Fact>
        )}
        <Fact name="Id">
          <span className={`mono ${classes.id}`}>{episode.id}</span>{' '}
          <CopyButton value={episode.id} what="the id" />
        </Fact>
      </dl>
    </Panel>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function Origin({ provenance }: Pick<EpisodeDetail, 'provenance'>) {
  if (!provenance) return null
  const { conversation_id, message_id, channel, url } = provenance
  const at = message_id ? `?at=${message_id}` : ''
  return (
    <>
      {conversation_id && (
        <Fact name="Said in">
          <Anchor component={Link} href={`/chat/${conversation_id}${at}`} size="sm">
            The conversation
          </Anchor>
        </Fact>
      )}
      {channel && <Fact name="Channel">{channel}</Fact>}
      {/* A stranger's address is shown and not linked: nothing here leads out by a slip of the hand. */}
      {url && (
        <Fact name="Page">
          <span className="mono">{url}</span>
        </Fact>
      )}
    </>
  )
}
