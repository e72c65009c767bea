import { Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type TokenUsage, tokensQuery, usageQuery } from '../../../api/monitoring.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { money, whole } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { useZone } from '../../../parts/time.tsx'

const trends: Record<TokenUsage['trend'], string> = {
  up: 'More than in the week before',
  down: 'Less than in the week before',
  stable: 'About as much as in the week before',
}

export function Today() {
  const api = useApi()
  const tokens = useQuery(tokensQuery(api))
  const week = useQuery(usageQuery(api, { period: '7d', tz: useZone() })).data
  return (
    <Panel title="Today">
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
              {whole(total_used)} tokens since the beginning
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
      <Progress
        value={percent}
        color={percent >= 100 ? 'red' : undefined}
        aria-label="Used of today’s tokens"
      />
      <Text size="xs" c="dimmed" mt={4}>
        of {whole(limit)} allowed today
      </Text>
    </div>
  )
}
