import { Group, SimpleGrid, Stack } from '@mantine/core'
import type {
  Performance as Metrics,
  PerformanceHistory,
  PerformancePeriod,
} from '../../../runtime/monitoring/performance.ts'
import { useEndpoint } from '../../api/query.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded, SkeletonRows } from '../../parts/list.tsx'
import { whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { useZone } from '../../parts/time.tsx'
import { type Column, CsvButton } from './csv.tsx'
import { type Figure, Figures, usePeriod } from './figures.tsx'
import { pointLabels } from './labels.ts'
import { TimeChart } from './time-chart.tsx'

const periods: { value: PerformancePeriod; label: string }[] = [
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
]

type Point = PerformanceHistory['history'][number]

const columns: readonly Column<Point>[] = [
  ['start', ({ bucket }) => bucket],
  ['label', ({ label }) => label],
  ['requests', ({ requests }) => requests],
  ['requests_per_minute', ({ requests_per_minute }) => requests_per_minute],
  ['error_rate', ({ error_rate }) => error_rate],
  ['latency_p50_ms', ({ latency_ms }) => latency_ms?.p50 ?? null],
  ['latency_p95_ms', ({ latency_ms }) => latency_ms?.p95 ?? null],
  ['latency_p99_ms', ({ latency_ms }) => latency_ms?.p99 ?? null],
  ['model_calls', ({ model }) => model.calls],
  ['model_error_rate', ({ model }) => model.error_rate],
  ['model_ttft_p50_ms', ({ model }) => model.ttft_ms?.p50 ?? null],
  ['model_latency_p50_ms', ({ model }) => model.latency_ms?.p50 ?? null],
]

const milliseconds = (value: number) =>
  value < 1_000 ? `${whole(Math.round(value))} ms` : `${(value / 1_000).toFixed(1)} s`
const percent = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`

/** Requests and model calls over time. The period is in the URL. */
export function Performance() {
  const [period, choice] = usePeriod(periods, '24h')
  const options = { keepPrevious: true, refetchInterval: 60_000 }
  const now = useEndpoint('/api/monitoring/performance', { query: { period } }, options)
  const past = useEndpoint('/api/monitoring/performance/history', { query: { period, tz: useZone() } }, options)
  return (
    <Stack gap="lg">
      <Group gap="sm">
        {choice}
        {past.data && (
          <CsvButton name={`performance-${period}`} columns={columns} rows={() => past.data?.history ?? []} />
        )}
      </Group>
      <Panel title="Requests" gap="md">
        <Loaded query={now} what="The metrics" skeleton={<SkeletonRows count={2} />}>
          {(metrics) => <Totals metrics={metrics} />}
        </Loaded>
        <Loaded query={past} what="The history" skeleton={<SkeletonRows count={6} />}>
          {(history) => <Charts history={history} />}
        </Loaded>
      </Panel>
      {now.data && <Models metrics={now.data} />}
      {now.data && <RouteTable metrics={now.data} />}
    </Stack>
  )
}

function Totals({ metrics }: { metrics: Metrics }) {
  const { requests, requests_per_minute, error_rate, latency_ms } = metrics
  const shown: Figure[] = [
    ['Requests', whole(requests)],
    ['Per minute', whole(requests_per_minute)],
    ['Failed', percent(error_rate)],
    ['95th percentile of response times', latency_ms ? milliseconds(latency_ms.p95) : 'No requests'],
  ]
  return <Figures figures={shown} />
}

function Charts({ history: { history, granularity } }: { history: PerformanceHistory }) {
  const labels = pointLabels(history, granularity)
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
      <TimeChart
        kind="bar"
        what={`Requests by ${granularity}`}
        labels={labels}
        lines={[{ label: 'Requests', color: 'ember.5', values: history.map(({ requests }) => requests) }]}
        format={whole}
      />
      <TimeChart
        kind="line"
        what={`Response times by ${granularity}`}
        labels={labels}
        lines={[
          {
            label: 'Median',
            color: 'teal.6',
            values: history.map(({ latency_ms }) => latency_ms?.p50 ?? null),
          },
          {
            label: '95th percentile',
            color: 'ember.5',
            values: history.map(({ latency_ms }) => latency_ms?.p95 ?? null),
          },
          {
            label: '99th percentile',
            color: 'red.6',
            values: history.map(({ latency_ms }) => latency_ms?.p99 ?? null),
          },
        ]}
        format={milliseconds}
      />
    </SimpleGrid>
  )
}

function Models({ metrics: { by_model } }: { metrics: Metrics }) {
  if (by_model.length === 0) return null
  return (
    <Panel title="Model calls">
      <MetricTable
        label="Model calls"
        head={['Model', 'Calls', 'Time to first token (median)', 'Total time (median)', '95th percentile', 'Failed']}
        rows={by_model.map(({ model, calls, ttft_ms, latency_ms, error_rate }) => [
          model,
          whole(calls),
          ttft_ms ? milliseconds(ttft_ms.p50) : '–',
          latency_ms ? milliseconds(latency_ms.p50) : '–',
          latency_ms ? milliseconds(latency_ms.p95) : '–',
          percent(error_rate),
        ])}
      />
    </Panel>
  )
}

/** Maximum number of listed routes. */
const maxRoutes = 50

function RouteTable({ metrics: { by_route } }: { metrics: Metrics }) {
  if (by_route.length === 0) return null
  return (
    <Panel title="Routes">
      <MetricTable
        label="Routes"
        head={['Route', 'Requests', 'Median', '95th percentile', '99th percentile', 'Failed']}
        rows={by_route
          .slice(0, maxRoutes)
          .map(({ route, requests, latency_ms, error_rate }) => [
            route,
            whole(requests),
            ...(latency_ms ? [latency_ms.p50, latency_ms.p95, latency_ms.p99].map(milliseconds) : ['–', '–', '–']),
            percent(error_rate),
          ])}
      />
    </Panel>
  )
}

interface MetricTableProps {
  label: string
  head: readonly string[]
  rows: readonly (readonly string[])[]
}

const MetricTable = ({ label, head, rows }: MetricTableProps) => (
  <DataTable
    label={`${label}, table`}
    minWidth={620}
    fz="xs"
    verticalSpacing="xs"
    highlightOnHover
    head={head}
    rows={rows.map(([name, ...cells]) => [
      <span key="name" className="mono">
        {name}
      </span>,
      ...cells,
    ])}
  />
)
