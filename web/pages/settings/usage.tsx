import { Group, Progress, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { Usage, UsagePeriod } from '../../../runtime/monitoring/usage.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { type Bar, Bars } from '../../parts/bars.tsx'
import { SmallButton } from '../../parts/buttons.tsx'
import { FormProblem, useApiForm } from '../../parts/form.tsx'
import { Hint } from '../../parts/hint.tsx'
import { inputsOf } from '../../parts/inputs.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { locale } from '../../parts/locale.ts'
import { counted, money, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { useZone } from '../../parts/time.tsx'

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
  const [search, setSearch] = useSearchParams()
  const [measure, setMeasure] = useState<Measure>('tokens')
  const period = periods.find(({ value }) => value === search.get('period'))?.value ?? '7d'
  const query = useEndpoint(
    '/api/monitoring/usage',
    { query: { period, tz: useZone() } },
    { keepPrevious: true },
  )
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
              <PricesAsOf />
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

/** Formats a calendar date; UTC keeps it from shifting. */
const shortDay = (date: string) =>
  new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  )

function Totals({ usage: { totals } }: { usage: Usage }) {
  const figures = [
    { label: 'Cost', value: money(totals.cost_usd) },
    { label: 'Input tokens', value: whole(totals.input_tokens) },
    { label: 'Output tokens', value: whole(totals.output_tokens) },
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
          <Hint>{label}</Hint>
        </div>
      ))}
    </SimpleGrid>
  )
}

interface Share {
  name: string
  tokens: number
  cost: number | null
}

const categories: Record<string, string> = {
  chat: 'Chats',
  scheduled: 'Schedules',
  internal: 'Maintenance',
  project_developer: 'Project developer',
  loops: 'Loops',
  projects: 'Projects',
}

/** Tokens by model, agent and purpose. */
function Shares({ usage: { by_model, by_agent, breakdown } }: { usage: Usage }) {
  const models = Object.values(by_model).map(({ model, total_tokens, cost_estimate }) => ({
    name: model,
    tokens: total_tokens,
    cost: cost_estimate,
  }))
  const agents = by_agent.map(({ agent_name, tokens_used, cost_usd }) => ({
    name: agent_name ?? 'No agent',
    tokens: tokens_used,
    cost: cost_usd,
  }))
  const purposes = Object.entries(breakdown).map(([category, tokens]) => ({
    name: categories[category] ?? category,
    tokens,
    cost: null,
  }))
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl">
      <ShareList title="By model" shares={models} />
      <ShareList title="By agent" shares={agents} />
      <ShareList title="By purpose" shares={purposes} />
    </SimpleGrid>
  )
}

function ShareList({ title, shares }: { title: string; shares: Share[] }) {
  const used = shares.filter(({ tokens }) => tokens > 0).toSorted((a, b) => b.tokens - a.tokens)
  const total = used.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <section aria-label={title}>
      <Title order={3} size="sm" mb="xs">
        {title}
      </Title>
      {used.length === 0 && (
        <Text size="sm" c="dimmed">
          No usage in this period
        </Text>
      )}
      {used.map(({ name, tokens, cost }) => (
        <div key={name} style={{ marginBottom: 10 }}>
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

function PricesAsOf() {
  const { data } = useEndpoint('/api/providers')
  if (!data) return null
  const date = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <Text size="xs" c="dimmed">
      Built-in prices are as of {date.format(new Date(`${data.prices_as_of}T00:00:00Z`))}. Prices from a
      vendor’s own list, and prices that you set, replace them.
    </Text>
  )
}

/** Models without a known price, whose cost is missing from the totals. */
function Unpriced({ usage: { unpriced } }: { usage: Usage }) {
  if (unpriced.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label="Price unknown">
      <Text size="sm" c="dimmed">
        The cost of these models is not included. Set their prices in US dollars per million tokens; they
        apply to later calls.
      </Text>
      {unpriced.map((one) => (
        <PriceForm key={`${one.provider}/${one.model}`} {...one} />
      ))}
    </Stack>
  )
}

function usePriceForm({ provider, model }: Usage['unpriced'][number]) {
  const api = useApi()
  return useApiForm({
    initial: { input_usd_per_mtok: null as number | null, output_usd_per_mtok: null as number | null },
    save({ input_usd_per_mtok, output_usd_per_mtok }) {
      const price = {
        input_usd_per_mtok: input_usd_per_mtok ?? 0,
        output_usd_per_mtok: output_usd_per_mtok ?? 0,
      }
      const body = { prices: { [model]: price } }
      return api.put('/api/providers/{id}/prices', { params: { id: provider }, body })
    },
    stale: ['/api/'],
    saved: () => announce(`The price of ${model} was set`),
  })
}

function PriceForm(unpriced: Usage['unpriced'][number]) {
  const { provider, model, tokens } = unpriced
  const form = usePriceForm(unpriced)
  const field = {
    size: 'xs',
    w: 110,
    min: 0,
    max: 1_000_000,
    allowDecimal: true,
    decimalScale: 4,
    hideControls: true,
  } as const
  const { optionalNumber } = inputsOf(form)
  const complete = Object.values(form.values).every((price) => price !== null)
  return (
    <Group gap="xs" align="flex-end" component="form" onSubmit={form.submit}>
      <FormProblem form={form} />
      <Text size="sm" className="grow">
        {provider}/{model} · {whole(tokens)} tokens
      </Text>
      {optionalNumber('input_usd_per_mtok', 'Input', { ...field, 'aria-label': `Input price of ${model}` })}
      {optionalNumber('output_usd_per_mtok', 'Output', {
        ...field,
        'aria-label': `Output price of ${model}`,
      })}
      <SmallButton type="submit" disabled={!complete} loading={form.sending}>
        Set price
      </SmallButton>
    </Group>
  )
}
