import { Box, Group, Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import type { MemoryStats } from '../../../runtime/memory/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { Bars } from '../../parts/bars.tsx'
import { Loaded, Nothing } from '../../parts/list.tsx'
import { counted, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { labelOf } from '../../parts/text.ts'
import { Hint, Muted, TextLink } from '../../parts/typography.tsx'
import { moodLabel, percent, sourceLabel } from './labels.ts'

export function Statistics() {
  const query = useEndpoint('/api/memory/stats')
  return (
    <Loaded query={query} what="Statistics" skeleton={<Skeleton height={420} radius="md" />}>
      {(stats) => (
        <Stack gap="lg">
          <SimpleGrid cols={{ base: 2, sm: 5 }}>
            <Total name="Memories" value={whole(stats.total_episodes)} />
            <Total name="Entities" value={whole(stats.total_entities)} />
            <Total name="Facts" value={whole(stats.total_relations)} />
            <Total name="Average importance" value={percent(stats.avg_importance)} />
            <Total name="Average sentiment" value={moodLabel(stats.avg_valence)} />
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Importance distribution={stats.importance_distribution} />
            <Recalls feedback={stats.recall_feedback} />
            <Panel title="Sources">
              <Shares
                what="of memories"
                counts={stats.source_distribution}
                nameOf={sourceLabel}
                href={(source) => `/memory?source=${encodeURIComponent(source)}`}
              />
            </Panel>
            <Panel title="Entity types">
              <Shares what="of entities" counts={stats.entity_type_distribution} nameOf={labelOf} />
            </Panel>
          </SimpleGrid>
        </Stack>
      )}
    </Loaded>
  )
}

const Total = ({ name, value }: { name: string; value: string }) => (
  <Box className="card" px="md" py="sm">
    <Text fz={24} fw={650} lh={1.2}>
      {value}
    </Text>
    <Hint>{name}</Hint>
  </Box>
)

function Importance({ distribution }: { distribution: readonly number[] }) {
  const bars = distribution.map((value, index) => ({
    key: String(index),
    label: `${index * 10}–${index * 10 + 10} %`,
    value,
  }))
  return (
    <Panel title="Importance">
      <Box px="md" pb="md">
        <Bars what="Memories by importance" bars={bars} format={(value) => counted(value, 'memory', 'memories')} />
      </Box>
    </Panel>
  )
}

/** How often recalled memories helped with an answer. */
function Recalls({ feedback }: { feedback: MemoryStats['recall_feedback'] }) {
  const { total_recalls, used_count: used, ignored_count: ignored, usage_rate } = feedback
  const unknown = Math.max(0, total_recalls - used - ignored)
  return (
    <Panel title="Recalls">
      {total_recalls + used + ignored === 0 ? (
        <Nothing>No recalls yet. This shows how often recalled memories helped with an answer.</Nothing>
      ) : (
        <>
          <Group px="md" gap="xs" align="baseline">
            <Text fz={24} fw={650} lh={1.2}>
              {percent(usage_rate)}
            </Text>
            <Muted>of rated recalls were useful</Muted>
          </Group>
          <Shares what="of recalls" counts={{ used, ignored, unknown }} nameOf={labelOf} />
          <Hint px="md" pb="md">
            {counted(total_recalls, 'recall', 'recalls')} in total
          </Hint>
        </>
      )}
    </Panel>
  )
}

interface SharesProps {
  counts: Record<string, number>
  /** The whole of the shares, such as "of memories". */
  what: string
  nameOf: (key: string) => string
  href?: (key: string) => string
}

/** Largest first. */
function Shares({ counts, what, nameOf, href }: SharesProps) {
  const shares = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a)
  const total = shares.reduce((sum, [, count]) => sum + count, 0)
  return (
    <Stack gap="0.6rem" px="md" pb="md">
      {shares.length === 0 && <Muted>None yet</Muted>}
      {shares.map(([key, count]) => (
        <div key={key}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            {href ? <TextLink href={href(key)}>{nameOf(key)}</TextLink> : <Text size="sm">{nameOf(key)}</Text>}
            <Hint>{whole(count)}</Hint>
          </Group>
          <Progress size="sm" value={(count / total) * 100} aria-label={`${nameOf(key)}, share ${what}`} />
        </div>
      ))}
    </Stack>
  )
}
