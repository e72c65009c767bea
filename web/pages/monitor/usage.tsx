import { Group, Progress, SegmentedControl, SimpleGrid, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { Category } from '../../../runtime/ledger/spender.ts'
import type { Analytics } from '../../../runtime/monitoring/analytics.ts'
import type { Usage, UsagePeriod } from '../../../runtime/monitoring/usage.ts'
import { useEndpoint } from '../../api/query.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { Loaded, SkeletonRows } from '../../parts/list.tsx'
import { counted, money, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { useZone } from '../../parts/time.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'
import { type Column, CsvButton } from './csv.tsx'
import { Figures, usePeriod } from './figures.tsx'
import { categories, pointLabels } from './labels.ts'
import { TimeChart } from './time-chart.tsx'

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

/** Usage over time and by model, agent and purpose. The period is in the URL. */
export function Used() {
  const [period, choice] = usePeriod(periods, '7d')
  const [measure, setMeasure] = useState<Measure>('tokens')
  const query = useEndpoint('/api/monitoring/usage', { query: { period, tz: useZone() } }, { keepPrevious: true })
  return (
    <Panel title="Usage" gap="md">
      <Group gap="sm">
        {choice}
        <SegmentedControl
          size="xs"
          aria-label="Measure"
          data={measures}
          value={measure}
          onChange={(chosen) => setMeasure(chosen as Measure)}
        />
        {query.data && <CsvButton name={`usage-${period}`} columns={columns} rows={() => query.data?.series ?? []} />}
      </Group>
      <Loaded query={query} what="Usage" skeleton={<SkeletonRows count={6} />}>
        {(usage) => (
          <>
            <Totals usage={usage} />
            <Unpriced usage={usage} />
            <TimeChart
              kind="bar"
              what={`${measure === 'tokens' ? 'Tokens' : 'Cost'} by ${period === '24h' ? 'hour' : 'day'}`}
              labels={pointLabels(usage.series, period === '24h' ? 'hour' : 'day')}
              lines={[
                {
                  label: measure === 'tokens' ? 'Tokens' : 'Cost',
                  color: 'ember.5',
                  values: usage.series.map(({ tokens, cost_usd }) => (measure === 'tokens' ? tokens : cost_usd)),
                },
              ]}
              format={measure === 'tokens' ? whole : money}
            />
            <Shares usage={usage} period={period} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

const columns: readonly Column<Usage['series'][number]>[] = [
  ['start', ({ bucket }) => bucket],
  ['label', ({ label }) => label],
  ['tokens', ({ tokens }) => tokens],
  ['cost_usd', ({ cost_usd }) => cost_usd],
]

const Totals = ({ usage: { totals } }: { usage: Usage }) => (
  <Figures
    figures={[
      ['Cost', money(totals.cost_usd)],
      ['Input tokens', whole(totals.input_tokens)],
      ['Output tokens', whole(totals.output_tokens)],
      [counted(totals.conversations, 'conversation', 'conversations'), counted(totals.messages, 'message', 'messages')],
    ]}
  />
)

interface Share {
  /** Default: the name. */
  id?: string
  name: string
  tokens: number
  cost: number | null
}

/** Tokens by model, agent and purpose, and by origin. */
function Shares({ usage: { by_model, by_agent, breakdown }, period }: { usage: Usage; period: UsagePeriod }) {
  const analytics = useEndpoint('/api/monitoring/analytics', { query: { period, tz: useZone() } }).data
  const models = Object.values(by_model).map(({ model, total_tokens, cost_estimate }) => ({
    name: model,
    tokens: total_tokens,
    cost: cost_estimate,
  }))
  const agents = by_agent.map(({ agent_id, agent_name, tokens_used, cost_usd }) => ({
    id: agent_id ?? 'none',
    name: agent_name ?? (agent_id === null ? 'No agent' : 'Deleted agent'),
    tokens: tokens_used,
    cost: cost_usd,
  }))
  const purposes = Object.entries(breakdown).map(([category, tokens]) => ({
    name: categories[category as Category],
    tokens,
    cost: null,
  }))
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl">
      <ShareList title="By model" shares={models} />
      <ShareList title="By agent" shares={agents} />
      <ShareList title="By purpose" shares={purposes} />
      <ShareList title="By job" shares={spendersOf(analytics?.by_job, 'Deleted job')} />
      <ShareList title="By project" shares={spendersOf(analytics?.by_project, 'Deleted project')} />
      <ShareList title="By loop" shares={spendersOf(analytics?.by_loop, 'Deleted loop')} />
    </SimpleGrid>
  )
}

const spendersOf = (spenders: Analytics['by_job'] = [], deleted: string): Share[] =>
  spenders.map(({ id, name, tokens, cost_usd }) => ({ id, name: name ?? deleted, tokens, cost: cost_usd }))

function ShareList({ title, shares }: { title: string; shares: Share[] }) {
  const used = shares.filter(({ tokens }) => tokens > 0).toSorted((a, b) => b.tokens - a.tokens)
  const total = used.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <section aria-label={title}>
      <Title order={3} size="sm" mb="xs">
        {title}
      </Title>
      {used.length === 0 && <Muted>No usage in this period</Muted>}
      {used.map(({ id, name, tokens, cost }) => (
        <div key={id ?? name} style={{ marginBottom: 10 }}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" truncate>
              {name}
            </Text>
            <Hint style={{ flexShrink: 0 }}>
              {whole(tokens)}
              {cost !== null && ` · ${money(cost)}`}
            </Hint>
          </Group>
          <Progress size="sm" value={(tokens / total) * 100} aria-label={`${name}, share of the tokens`} />
        </div>
      ))}
    </section>
  )
}

/** Models without a known price, whose cost is missing from the totals. */
function Unpriced({ usage: { unpriced } }: { usage: Usage }) {
  if (unpriced.length === 0) return null
  return (
    <Group gap="xs">
      <Muted className="words">
        The cost of {unpriced.map(({ model }) => model).join(', ')} is not included, because the price is unknown.
      </Muted>
      <LinkButton href="/settings/spending">Set prices</LinkButton>
    </Group>
  )
}
