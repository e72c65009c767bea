import { Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { type Usage, type UsagePeriod, usageQuery } from '../../../api/monitoring.ts'
import { useApi } from '../../../app/services.tsx'
import { type Bar, Bars } from '../../../parts/bars.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { locale } from '../../../parts/locale.ts'
import { counted, money, whole } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { useZone } from '../../../parts/time.tsx'
import { Shares } from './shares.tsx'
import { Unpriced } from './unpriced.tsx'

const periods: { value: UsagePeriod; label: string }[] = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
]

type Measure = 'tokens' | 'cost'
const measures: { value: Measure; label: string }[] = [
  { value: 'tokens', label: 'Tokens' },
  { value: 'cost', label: 'Cost' },
]

/** What was used over time, and by whom. The address names the period. */
export function Used() {
  const [search, setSearch] = useSearchParams()
  const [measure, setMeasure] = useState<Measure>('tokens')
  const period = periods.find(({ value }) => value === search.get('period'))?.value ?? '7d'
  const query = useQuery(usageQuery(useApi(), { period, tz: useZone() }))
  return (
    <Panel title="Usage">
      <Stack px="md" pb="md">
        <Group gap="sm">
          <SegmentedControl
            size="xs"
            aria-label="Period"
            data={periods}
            value={period}
            onChange={(chosen) => setSearch({ period: chosen }, { replace: true })}
          />
          <SegmentedControl
            size="xs"
            aria-label="Measure"
            data={measures}
            value={measure}
            onChange={(chosen) => setMeasure(chosen as Measure)}
          />
        </Group>
        <Loaded query={query} what="Usage" skeleton={<SkeletonRows count={6} />}>
          {(usage) => (
            <>
              <Totals usage={usage} />
              <Unpriced usage={usage} />
              <Bars
                what={`${measure === 'tokens' ? 'Tokens' : 'Cost'} by ${period === '24h' ? 'hour' : 'day'}`}
                bars={barsOf(usage, measure)}
                format={measure === 'tokens' ? whole : money}
              />
              <Shares usage={usage} />
            </>
          )}
        </Loaded>
      </Stack>
    </Panel>
  )
}

const barsOf = ({ series, period }: Usage, measure: Measure): Bar[] =>
  series.map(({ bucket, label, tokens, cost_usd }) => ({
    key: bucket,
    label: period === '24h' ? label.slice(11, 16) : shortDay(label),
    value: measure === 'tokens' ? tokens : cost_usd,
  }))

/** A day comes as a date of its own zone, which no other zone may move. */
const shortDay = (date: string) =>
  new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  )

function Totals({ usage: { totals } }: { usage: Usage }) {
  const figures = [
    { label: 'Cost', value: money(totals.cost_usd) },
    { label: 'Tokens read', value: whole(totals.input_tokens) },
    { label: 'Tokens written', value: whole(totals.output_tokens) },
    {
      label: counted(totals.conversations, 'conversation', 'conversations'),
      value: counted(totals.messages, 'message', 'messages'),
    },
  ]
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs">
      {figures.map(({ label, value }) => (
        <div key={label}>
          <Text fw={650}>{value}</Text>
          <Text size="xs" c="dimmed">
            {label}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  )
}
