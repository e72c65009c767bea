import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/error.ts'
import { tokensQuery } from '../../api/monitoring.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { money, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'

/** Today's tokens and what the models cost. */
export function Today() {
  const tokens = useQuery(tokensQuery(useApi()))
  if (tokens.error instanceof ApiError && tokens.error.status === 404) return null
  return (
    <Panel title="Today">
      <Loaded query={tokens} what="Usage" skeleton={<SkeletonRows count={2} />}>
        {({ used_today, limit_today, by_model }) => {
          const models = Object.values(by_model).toSorted((a, b) => b.total_tokens - a.total_tokens)
          return (
            <Stack gap={6} px="md" pb="md">
              <Text fz={28} fw={650} lh={1.2}>
                {whole(used_today)}{' '}
                <Text span size="sm" c="dimmed">
                  tokens
                </Text>
              </Text>
              {Boolean(limit_today) && (
                <Text size="xs" c="dimmed">
                  of {whole(limit_today ?? 0)} allowed today
                </Text>
              )}
              {models.map(({ model, total_tokens, cost_estimate }) => (
                <Group key={model} justify="space-between" wrap="nowrap" gap="xs">
                  <Text size="sm" truncate>
                    {model}
                  </Text>
                  <Text size="sm" c="dimmed" style={{ flexShrink: 0 }}>
                    {whole(total_tokens)} · {money(cost_estimate)}
                  </Text>
                </Group>
              ))}
            </Stack>
          )
        }}
      </Loaded>
    </Panel>
  )
}
