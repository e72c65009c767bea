import { Button, Group, Text } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type Episode, type EpisodeDetail, type EpisodeVersion, historyQuery } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import classes from '../memory.module.css'
import { useRestore } from './use-restore.ts'

const changes: Record<EpisodeVersion['change'], string> = {
  updated: 'Changed',
  deleted: 'Deleted',
  restored: 'Set back',
}

/** What it was before each change, with a way back. */
export function History({ episode }: { episode: EpisodeDetail }) {
  const query = useQuery(historyQuery(useApi(), episode.id))
  return (
    <Panel title="History">
      <Loaded query={query} what="The history" skeleton={<SkeletonRows count={2} />}>
        {({ versions }) =>
          versions.length === 0 ? (
            <Text size="sm" c="dimmed" px="md" pb="md">
              It was never changed.
            </Text>
          ) : (
            <ol className={classes.versions}>
              {versions.map((version, place) => (
                <Version
                  key={version.version}
                  version={version}
                  after={versions[place - 1]?.episode ?? episode}
                />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  )
}

type Compared = Pick<Episode, 'content' | 'summary' | 'topics' | 'importance' | 'valence' | 'agent_id'>

function Version({ version, after }: { version: EpisodeVersion; after: Compared }) {
  const restore = useRestore(version.episode.id)
  const { change, changed_at, changed_by, episode } = version
  return (
    <li>
      <Text size="sm" component="div">
        {changes[change]} by {changed_by}, <Time at={changed_at} />
      </Text>
      <Text size="xs" c="dimmed">
        {difference(episode, after)}
      </Text>
      <details>
        <summary>
          <Text span size="xs">
            What it was before
          </Text>
        </summary>
        <Text size="xs" className={classes.content} mt={4}>
          {episode.content}
        </Text>
      </details>
      <Group mt={6}>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconArrowBackUp size={12} />}
          loading={restore.isPending}
          onClick={() => restore.mutate(version.version)}
        >
          Restore
        </Button>
      </Group>
    </li>
  )
}

const members: [keyof Compared, string][] = [
  ['content', 'text'],
  ['summary', 'summary'],
  ['topics', 'topics'],
  ['importance', 'importance'],
  ['valence', 'feeling'],
  ['agent_id', 'agent'],
]

function difference(before: Compared, after: Compared): string {
  const differ = members.filter(([name]) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return differ.length === 0 ? 'Nothing differs' : `Another ${differ.map(([, word]) => word).join(', ')}`
}
