import { Button, Grid, Group, Stack, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useEndpoint } from '../../api/query.ts'
import { Loaded, SkeletonRows } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { Dot } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Today } from '../../parts/today.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { Budgets } from './budgets.tsx'
import { Prices } from './prices.tsx'

/** Today's spending, budgets, prices and the kill switch. */
export function Spending() {
  return (
    <Stack gap="lg">
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, sm: 6 }}>
          <Today />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 6 }}>
          <Switch />
        </Grid.Col>
      </Grid>
      <Budgets />
      <Prices />
    </Stack>
  )
}

/** Stops all model calls. It can be undone, so it does not ask for confirmation. */
export function Switch() {
  const query = useEndpoint('/api/monitoring/kill-switch')
  const turn = useChange((api, paused: boolean) => api.post('/api/monitoring/kill-switch', { body: { paused } }))
  return (
    <Panel title="Kill switch">
      <Loaded query={query} what="The kill switch" skeleton={<SkeletonRows count={2} />}>
        {({ paused, changed_at, changed_by }) => (
          <Stack gap="sm" px="md" pb="md" align="flex-start">
            <div>
              <Group gap="xs">
                <Dot color={paused ? 'red' : 'teal'} />
                <Text fw={600}>{paused ? 'All model calls are paused' : 'Model calls are allowed'}</Text>
              </Group>
              <Hint mt={2}>
                {changed_at ? (
                  <>
                    {paused ? 'Paused' : 'Allowed again'} <Time at={changed_at} />
                    {changed_by && ` by ${changed_by}`}
                  </>
                ) : (
                  'Never used'
                )}
              </Hint>
            </div>
            <Text size="sm">
              {paused
                ? 'No chat, job or loop can call a model.'
                : 'Pausing stops all calls immediately, including those in progress.'}
            </Text>
            <Button
              size="xs"
              color={paused ? undefined : 'red.9'}
              leftSection={paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
              loading={turn.isPending}
              onClick={() => turn.mutate(!paused)}
            >
              {paused ? 'Resume model calls' : 'Pause all model calls'}
            </Button>
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}
