import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type MemoryStats, memoryStatsQuery } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { Bars } from '../../../parts/bars.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted, whole } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'
import { moodLabel, percent, sourceLabel, typeLabels } from '../labels.ts'
import { Shares } from './shares.tsx'

export function Numbers() {
  const query = useQuery(memoryStatsQuery(useApi()))
  return (
    <Loaded query={query} what="The numbers" skeleton={<Skeleton height={420} radius="md" />}>
      {(stats) => (
        <Stack gap="lg">
          <Totals stats={stats} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Panel title="Importance">
              <div style={{ padding: '0 1rem 1rem' }}>
                <Bars
                  what="Memories by importance"
                  bars={stats.importance_distribution.map((value, place) => ({
                    key: String(place),
                    label: `${place * 10}–${place * 10 + 10} %`,
                    value,
                  }))}
                  format={(value) => counted(value, 'memory', 'memories')}
                />
              </div>
            </Panel>
            <Recalls feedback={stats.recall_feedback} />
            <Panel title="Where they come from">
              <Shares
                what="of the memories"
                counts={stats.source_distribution}
                nameOf={sourceLabel}
                href={(source) => `/memory?source=${encodeURIComponent(source)}`}
              />
            </Panel>
            <Panel title="What they speak of">
              <Shares
                what="of the entities"
                counts={stats.entity_type_distribution}
                nameOf={(type) => typeLabels[type as keyof typeof typeLabels] ?? type}
              />
            </Panel>
          </SimpleGrid>
        </Stack>
      )}
    </Loaded>
  )
}

function Totals({ stats }: { stats: MemoryStats }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 5 }}>
      <Total name="Memories" value={whole(stats.total_episodes)} />
      <Total name="Entities" value={whole(stats.total_entities)} />
      <Total name="Facts" value={whole(stats.total_relations)} />
      <Total name="Importance on average" value={percent(stats.avg_importance)} />
      <Total name="Feeling on average" value={moodLabel(stats.avg_valence)} />
    </SimpleGrid>
  )
}

const Total = ({ name, value }: { name: string; value: string }) => (
  <div className="card" style={{ padding: '0.75rem 1rem' }}>
    <Text fz={24} fw={650} lh={1.2}>
      {value}
    </Text>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
  </div>
)

function Recalls({ feedback }: { feedback: MemoryStats['recall_feedback'] }) {
  const { total_recalls, used_count, ignored_count, usage_rate } = feedback
  const unknown = Math.max(0, total_recalls - used_count - ignored_count)
  return (
    <Panel title="Recalls">
      <Stack px="md" pb="md" gap={4}>
        {total_recalls + used_count + ignored_count === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing was recalled into an answer yet. With each answer this shows whether what was remembered
            helped.
          </Text>
        ) : (
          <>
            <Text fz={24} fw={650} lh={1.2}>
              {percent(usage_rate)}
            </Text>
            <Text size="sm" c="dimmed">
              of what was judged was of use
            </Text>
            <Shares
              what="of the recalls"
              counts={{ used: used_count, ignored: ignored_count, unknown }}
              nameOf={(kind) => kinds[kind] ?? kind}
              flush
            />
            <Text size="xs" c="dimmed">
              {counted(total_recalls, 'recall', 'recalls')} into answers so far.
            </Text>
          </>
        )}
      </Stack>
    </Panel>
  )
}

const kinds: Record<string, string> = { used: 'Used', ignored: 'Ignored', unknown: 'Not judged' }
