import { Grid, Group, Progress, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { Activity as Events } from '../../../runtime/monitoring/activity.ts'
import type { System } from '../../../runtime/monitoring/system.ts'
import { useEndpoint, useRefresh } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { type Bar, Bars } from '../../parts/bars.tsx'
import { Health } from '../../parts/health.tsx'
import { Loaded, SkeletonRows } from '../../parts/list.tsx'
import { byteSize, counted, duration, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Facts } from '../../parts/status.tsx'
import { labelOf } from '../../parts/text.ts'
import { Time, useZone } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { pointLabels } from './labels.ts'

export function Overview() {
  const refresh = useRefresh()
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <Health
          action={
            <ActionButton
              icon={IconRefresh}
              run={(api) => api.post('/api/monitoring/health/check')}
              done={() => refresh('/api/monitoring/health')}
            >
              Check now
            </ActionButton>
          }
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <SystemPanel />
      </Grid.Col>
      <Grid.Col span={12}>
        <Activity />
      </Grid.Col>
    </Grid>
  )
}

/** Polling interval in milliseconds: no event reports changes of these figures. */
const every = 10_000

function SystemPanel() {
  const query = useEndpoint('/api/monitoring/system', {}, { refetchInterval: every })
  return (
    <Panel title="System">
      <Loaded query={query} what="The system" skeleton={<SkeletonRows count={5} />}>
        {(system) => (
          <Stack gap="sm" px="md" pb="md">
            <Meters system={system} />
            <Facts facts={factsOf(system)} />
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

function Meters({ system: { cpu_pct, memory, disk } }: { system: System }) {
  const used = (what: System['disk']) =>
    what && {
      percent: what.used_pct,
      text: `${byteSize(what.free_bytes)} of ${byteSize(what.total_bytes)} free`,
    }
  const meters = [
    {
      label: 'Processor',
      figure: cpu_pct === null ? null : { percent: cpu_pct, text: `${whole(cpu_pct)} %` },
    },
    { label: 'Memory', figure: used(memory) },
    { label: 'Disk', figure: used(disk) },
  ]
  return meters.map(({ label, figure }) => (
    <div key={label}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{label}</Text>
        <Hint>{figure?.text ?? 'Unknown on this host'}</Hint>
      </Group>
      <Progress
        size="sm"
        value={figure?.percent ?? 0}
        color={(figure?.percent ?? 0) >= 90 ? 'red' : undefined}
        aria-label={`${label}, percent used`}
      />
    </div>
  ))
}

function factsOf({ load, process, database }: System) {
  const lag = process.event_loop_lag_ms
  return [
    ['Memory used by hearthd', process.rss_bytes === null ? 'Unknown' : byteSize(process.rss_bytes)],
    ['Up', duration(process.uptime_seconds)],
    ['Load average', load === null ? 'Unknown' : load.map((one) => one.toFixed(2)).join(' · ')],
    ['Event loop lag', lag === null ? 'Unknown' : `${whole(lag)} ms`],
    ['Database', byteSize(database.bytes)],
    ['Write-ahead log', byteSize(database.wal_bytes)],
  ] as const
}

function Activity() {
  const query = useEndpoint('/api/monitoring/activity-summary', { query: { period: '24h', tz: useZone() } })
  return (
    <Panel title="Activity in the last 24 hours">
      <Loaded query={query} what="The activity" skeleton={<SkeletonRows count={6} />}>
        {({ types, series, total }) => (
          <Stack px="md" pb="md">
            <Hint>{counted(total, 'event', 'events')}</Hint>
            <Bars what="Events by hour" bars={barsOf(series)} format={whole} />
            <Facts
              facts={types.slice(0, 12).map(({ type, count, last_at }) => [
                labelOf(type.replaceAll('.', ' ')),
                <span key={type}>
                  {whole(count)} · <Time at={last_at} />
                </span>,
              ])}
            />
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

function barsOf(series: Events['series']): Bar[] {
  const labels = pointLabels(series, 'hour')
  return series.map(({ bucket, count }, at) => ({ key: bucket, label: labels[at] ?? '', value: count }))
}
