import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { tokensQuery, usageQuery } from '../../api/monitoring.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { money, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { useZone } from '../../parts/time.tsx'

/** Today's tokens and what the models cost. */
export function Today() {
  const api = useApi()
  const tokens = useQuery(tokensQuery(api))
  const week = useQuery(usageQuery(api, { period: '7d', tz: useZone() })).data
  const more = (
    <Anchor component={Link} href="/settings/spending" size="sm" underline="hover">
      Spending
    </Anchor>
  )
  return (
    <Panel title="Today" action={more}>
      <Loaded query={tokens} what="Usage" skeleton={<SkeletonRows count={2} />}>
        {({ used_today, limit_today }) => (
          <Stack gap={2} px="md" pb="md">
            <Text fz={28} fw={650} lh={1.2}>
              {whole(used_today)}{' '}
              <Text span size="sm" c="dimmed">
                tokens
              </Text>
            </Text>
            <Text size="sm" c="dimmed">
              {money(week?.series.at(-1)?.cost_usd ?? 0)} today · {money(week?.totals.cost_usd ?? 0)} in 7
              days
            </Text>
            {limit_today > 0 && (
              <Text size="xs" c="dimmed">
                of {whole(limit_today)} tokens allowed today
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}
