import { Alert, Anchor, Grid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { agentsQuery } from '../../../api/agents.ts'
import { dryRunQuery, type Job, type JobStats, jobStatsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { type Bar, Bars } from '../../../parts/bars.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { duration, money, whole } from '../../../parts/numbers.ts'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { Time, useZone } from '../../../parts/time.tsx'
import { NextTimes, Zone } from '../schedule/next-times.tsx'
import { addDays, dayOf } from '../schedule/wall-clock.ts'
import classes from '../scheduler.module.css'

/** What the job is, how it went so far, and when it runs next. */
export function Overview({ job }: { job: Job }) {
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="lg">
          <What job={job} />
          <Next job={job} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stats job={job} />
      </Grid.Col>
    </Grid>
  )
}

function What({ job }: { job: Job }) {
  const agents = useQuery(agentsQuery(useApi())).data?.agents ?? []
  const agent = agents.find(({ id }) => id === job.agent_id)
  return (
    <Panel title="Goal">
      <Text size="sm" px="md" style={{ whiteSpace: 'pre-wrap' }}>
        {job.goal}
      </Text>
      <Text size="xs" c="dimmed" px="md" pt="xs" pb="md">
        {agent && (
          <>
            <Anchor component={Link} href={`/agents/${agent.id}`} inherit>
              {agent.name}
            </Anchor>{' '}
            ·{' '}
          </>
        )}
        {job.model ?? 'its own model'}
        {job.tags.length > 0 && ` · ${job.tags.join(', ')}`}
      </Text>
    </Panel>
  )
}

function Next({ job }: { job: Job }) {
  const query = useQuery({ ...dryRunQuery(useApi(), job.id), enabled: job.status === 'active' })
  const home = useZone()
  const zone = job.schedule.timezone ?? home
  return (
    <Panel
      title="Next times"
      action={
        <Anchor component={Link} href={`/scheduler/${job.id}/dry-run`} size="sm" underline="hover">
          Dry run
        </Anchor>
      }
    >
      <Stack gap={6} px="md" pb="md">
        {job.next_run_at === null ? (
          <Text size="sm" c="dimmed">
            {job.status === 'paused' ? 'None while it is paused.' : 'None any more.'}
          </Text>
        ) : (
          <>
            <Text size="sm">
              <Time at={job.next_run_at} /> <Zone zone={zone} />
            </Text>
            <NextTimes
              times={query.data?.next_runs.slice(0, 5) ?? [job.next_run_at]}
              zone={zone}
              what="The next times"
            />
          </>
        )}
      </Stack>
    </Panel>
  )
}

function Stats({ job }: { job: Job }) {
  const query = useQuery(jobStatsQuery(useApi(), job.id))
  return (
    <Panel title="The last 30 days">
      <Loaded query={query} what="The figures" skeleton={<SkeletonRows count={4} />}>
        {(stats) => (
          <Stack px="md" pb="md">
            <dl className={classes.facts}>
              <Fact term="Runs">{whole(stats.runs)}</Fact>
              <Fact term="Success rate">{percent(stats.success_rate)}</Fact>
              <Fact term="Usual duration">{lasting(stats.p50_duration_seconds)}</Fact>
              <Fact term="Slowest, 1 in 20">{lasting(stats.p95_duration_seconds)}</Fact>
              <Fact term="Tokens">{whole(stats.tokens)}</Fact>
              <Fact term="Cost">{money(stats.cost_usd)}</Fact>
              <Fact term="Missed">{whole(stats.missed)}</Fact>
            </dl>
            {stats.runs > 0 && <Bars what="Runs by day" format={whole} bars={barsOf(stats)} />}
            {stats.last_error && (
              <Alert color="red" variant="light" title="The last error">
                {stats.last_error}
              </Alert>
            )}
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt className={classes.term}>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A bar for each of the last days, also for those without a run. */
function barsOf({ by_day, timezone }: JobStats): Bar[] {
  const today = dayOf(Date.now(), timezone)
  return Array.from({ length: 30 }, (_, index) => {
    const date = addDays(today, index - 29)
    const runs = by_day.find((day) => day.date === date)?.runs ?? 0
    return { key: date, label: date.slice(5), value: runs }
  })
}

const percent = (rate: number | null) => (rate === null ? '—' : `${Math.round(rate * 100)} %`)
const lasting = (seconds: number | null) => (seconds === null ? '—' : duration(seconds))
