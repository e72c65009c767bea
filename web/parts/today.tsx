import { Progress, Stack, Text } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import type { TokenUsage } from '../../runtime/monitoring/usage.ts'
import { useEndpoint } from '../api/query.ts'
import { LinkButton } from './buttons.tsx'
import { Loaded, SkeletonRows } from './list.tsx'
import { money, whole } from './numbers.ts'
import { Panel } from './page.tsx'
import { useZone } from './time.tsx'
import { Hint, Muted } from './typography.tsx'

const trends: Record<TokenUsage['trend'], string> = {
  up: 'More than the week before',
  down: 'Less than the week before',
  stable: 'About the same as the week before',
}

/** Tokens and cost of today. */
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
              {money(week?.series.at(-1)?.cost_usd ?? 0)} <Muted span>for {whole(used_today)} tokens</Muted>
            </Text>
            {limit_today > 0 && (
              <div>
                <Progress
                  value={Math.min(100, (used_today / limit_today) * 100)}
                  color={used_today >= limit_today ? 'red' : undefined}
                  aria-label="Used tokens today"
                />
                <Hint mt={4}>Limit: {whole(limit_today)} tokens per day</Hint>
              </div>
            )}
            <Muted>{trends[trend]}</Muted>
            <Muted>
              {money(week?.totals.cost_usd ?? 0)} in 7 days · {whole(total_used)} tokens in total
            </Muted>
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}
