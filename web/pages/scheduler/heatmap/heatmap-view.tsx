import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { heatmapQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { useZone } from '../../../parts/time.tsx'
import { HeatGrid } from './heat-grid.tsx'
import { Suggestions } from './suggestions.tsx'

/** When you are at work here, and what could run by itself. */
export function HeatmapView() {
  const query = useQuery(heatmapQuery(useApi(), useZone()))
  return (
    <Stack gap="lg">
      <Suggestions />
      <Panel title="When you are active">
        <Loaded query={query} what="Your activity" skeleton={<SkeletonRows count={8} />}>
          {({ grid, max }) => (
            <Stack px="md" pb="md" gap="xs">
              <Text size="sm" c="dimmed">
                {max === 0
                  ? 'Nothing yet: it counts what you write and the jobs that you start by hand, over 90 days.'
                  : 'What you wrote and the jobs that you started by hand in the last 90 days.'}
              </Text>
              <HeatGrid grid={grid} max={max} />
            </Stack>
          )}
        </Loaded>
      </Panel>
    </Stack>
  )
}
