import { Button, Grid, Group, Progress, Stack, Text } from '@mantine/core'
import { IconChartBar, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import type { TokenUsage } from '../../../runtime/monitoring/usage.ts'
import { useEndpoint } from '../../api/query.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { Loaded, SkeletonRows } from '../../parts/list.tsx'
import { money, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Dot } from '../../parts/status.tsx'
import { Time, useZone } from '../../parts/time.tsx'
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

const trends: Record<TokenUsage['trend'], string> = {
  up: 'More than the week before',
  down: 'Less than the week before',
  stable: 'About the same as the week before',
}

export function Today() {
  const tokens = useEndpoint('/api/monitoring/tokens')
  const week = useEndpoint('/api/monitoring/usage', { query: { period: '7d', tz: useZone() } }).data
  return (
    <Panel
      title="Today"
      action={
        <LinkButton href="/monitor/usage" icon={IconChartBar}>
          Usage
        </LinkButton>
      }
    >
      <Loaded query={tokens} what="Usage" skeleton={<SkeletonRows count={3} />}>
        {({ used_today, limit_today, total_used, trend }) => (
          <Stack gap={6} px="md" pb="md">
            <Text fz={28} fw={650} lh={1.2}>
              {money(week?.series.at(-1)?.cost_usd ?? 0)}{' '}
              <Text span size="sm" c="dimmed">
                for {whole(used_today)} tokens
              </Text>
            </Text>
            {limit_today > 0 && <Limit used={used_today} limit={limit_today} />}
            <Text size="sm" c="dimmed">
              {trends[trend]}
            </Text>
            <Text size="sm" c="dimmed">
              {whole(total_used)} tokens in total
            </Text>
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

function Limit({ used, limit }: { used: number; limit: number }) {
  const percent = limit > 0 ? Math.min(100, (used / limit) * 100) : 0
  return (
    <div>
      <Progress value={percent} color={percent >= 100 ? 'red' : undefined} aria-label="Used tokens today" />
      <Hint mt={4}>Limit: {whole(limit)} tokens per day</Hint>
    </div>
  )
}

/** Stops all model calls. It can be undone, so it does not ask for confirmation. */
export function Switch() {
  const query = useEndpoint('/api/monitoring/kill-switch')
  const turn = useChange(
    (api, paused: boolean) => api.post('/api/monitoring/kill-switch', { body: { paused } }),
    { stale: ['/api/monitoring/kill-switch'] },
  )
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
