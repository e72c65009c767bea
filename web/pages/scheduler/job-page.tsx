import { Alert, Anchor, Grid, Group, Stack, Text } from '@mantine/core'
import { IconCalendarOff, IconPencil, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import type { Job } from '../../../runtime/scheduler/schema.ts'
import { useEndpoint, useOptional } from '../../api/query.ts'
import { dryRunQuery, type JobStats } from '../../api/scheduler.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { useAgents } from '../../parts/agents.ts'
import { type Bar, Bars } from '../../parts/bars.tsx'
import { LinkButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { Found, Loaded, SkeletonRows } from '../../parts/list.tsx'
import { duration, money, whole } from '../../parts/numbers.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { Facts, StatusBadge } from '../../parts/status.tsx'
import { Time, useZone } from '../../parts/time.tsx'
import { Hint, Muted, TextLink } from '../../parts/typography.tsx'
import { JobMenu, useJobActions } from './job-actions.tsx'
import { RunList } from './runs.tsx'
import { NextTimes, Zone } from './schedule.tsx'
import { jobLabels } from './status.tsx'
import { TargetLink } from './targets.tsx'
import { addDays, dayOf } from './zone.ts'

const JobDrawer = lazily(() => import('./job-form.tsx'), 'JobDrawer')
const RunDrawer = lazily(() => import('./run.tsx'), 'RunDrawer')
const DryRunDialog = lazily(() => import('./job-dialogs.tsx'), 'DryRunDialog')
const BackfillDialog = lazily(() => import('./job-dialogs.tsx'), 'BackfillDialog')

/** One job; `part` is what is open above it: `edit`, `dry-run`, `backfill` or a run. */
export function JobPage({ id, part }: { id: string; part: string | undefined }) {
  const query = useOptional('/api/scheduler/jobs/{id}', { params: { id } })
  return (
    <div className="page">
      <TextLink href="/scheduler">← Scheduler</TextLink>
      <Found query={query} what="This job" icon={<IconCalendarOff />} skeleton={<SkeletonRows count={6} />}>
        {(job) => <Content job={job} part={part} />}
      </Found>
    </div>
  )
}

function Content({ job, part }: { job: Job; part: string | undefined }) {
  const [, navigate] = useLocation()
  const close = () => navigate(`/scheduler/${job.id}`)
  const backfill = <TextLink href={`/scheduler/${job.id}/backfill`}>Backfill</TextLink>
  return (
    <>
      <PageHeader title={job.name} description={job.human_readable}>
        <StatusBadge {...jobLabels[job.status]} />
        <Actions job={job} />
      </PageHeader>
      <Stack gap="lg">
        {job.paused_reason && (
          <Text size="sm" c="var(--mantine-color-error)" role="status">
            {job.paused_reason}
          </Text>
        )}
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Stack gap="lg">
              <Task job={job} />
              <NextRuns job={job} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stats job={job} />
          </Grid.Col>
        </Grid>
        <Panel title="Runs" action={backfill}>
          <RunList job={job.id} />
        </Panel>
      </Stack>

      {part === 'edit' && <JobDrawer job={job} close={close} />}
      {part === 'dry-run' && <DryRunDialog job={job} close={close} />}
      {part === 'backfill' && <BackfillDialog job={job} close={close} />}
      {part?.startsWith('run_') && <RunDrawer job={job} id={part} close={close} />}
    </>
  )
}

function Actions({ job }: { job: Job }) {
  const { toggle, runNow } = useJobActions(job)
  const active = job.status === 'active'
  const Icon = active ? IconPlayerPause : IconPlayerPlay
  return (
    <Group gap="xs">
      <ActionButton icon={IconPlayerPlay} variant="filled" run={runNow}>
        Run now
      </ActionButton>
      {(active || job.status === 'paused') && (
        <ActionButton icon={Icon} run={toggle}>
          {active ? 'Pause' : 'Resume'}
        </ActionButton>
      )}
      <LinkButton icon={IconPencil} href={`/scheduler/${job.id}/edit`}>
        Edit
      </LinkButton>
      <JobMenu job={job} />
    </Group>
  )
}

function Task({ job }: { job: Job }) {
  const agents = useAgents()
  const agent = agents.find(({ id }) => id === job.agent_id)
  return (
    <Panel title="Task">
      <Text size="sm" px="md" style={{ whiteSpace: 'pre-wrap' }}>
        {job.goal}
      </Text>
      <Hint px="md" pt="xs" pb="md">
        {agent && job.target.kind === 'agent' && (
          <>
            <Anchor component={Link} href={`/agents/${agent.id}`} inherit>
              {agent.name}
            </Anchor>{' '}
            ·{' '}
          </>
        )}
        {job.target.kind === 'agent' ? (job.model ?? 'the agent’s model') : <TargetLink job={job} />}
        {job.tags.length > 0 && ` · ${job.tags.join(', ')}`}
      </Hint>
    </Panel>
  )
}

function NextRuns({ job }: { job: Job }) {
  const query = useQuery({ ...dryRunQuery(useApi(), job.id), enabled: job.status === 'active' })
  const home = useZone()
  const zone = job.schedule.timezone ?? home
  const dryRun = <TextLink href={`/scheduler/${job.id}/dry-run`}>Dry run</TextLink>
  return (
    <Panel title="Next runs" action={dryRun} gap={6}>
      {job.next_run_at === null ? (
        <Muted>{job.status === 'paused' ? 'None while the job is paused' : 'None'}</Muted>
      ) : (
        <>
          <Text size="sm">
            <Time at={job.next_run_at} /> <Zone zone={zone} />
          </Text>
          <NextTimes times={query.data?.next_runs.slice(0, 5) ?? [job.next_run_at]} zone={zone} label="Next runs" />
        </>
      )}
    </Panel>
  )
}

function Stats({ job }: { job: Job }) {
  const query = useEndpoint('/api/scheduler/jobs/{id}/stats', { params: { id: job.id } })
  return (
    <Panel title="Last 30 days">
      <Loaded query={query} what="Statistics" skeleton={<SkeletonRows count={4} />}>
        {(stats) => (
          <Stack px="md" pb="md">
            <Facts facts={factsOf(stats)} />
            {stats.runs > 0 && <Bars what="Runs per day" format={whole} bars={barsOf(stats)} />}
            {stats.last_error && (
              <Alert color="red" title="Last error">
                {stats.last_error}
              </Alert>
            )}
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

const factsOf = (stats: JobStats) =>
  [
    ['Runs', whole(stats.runs)],
    ['Success rate', percent(stats.success_rate)],
    ['Median duration', seconds(stats.p50_duration_seconds)],
    ['95th percentile', seconds(stats.p95_duration_seconds)],
    ['Tokens', whole(stats.tokens)],
    ['Cost', money(stats.cost_usd)],
    ['Missed', whole(stats.missed)],
  ] as const

/** A bar for each of the last 30 days, also for those without a run. */
function barsOf({ by_day, timezone }: JobStats): Bar[] {
  const today = dayOf(Date.now(), timezone)
  const runs = new Map(by_day.map((day) => [day.date, day.runs]))
  return Array.from({ length: 30 }, (_, index) => {
    const date = addDays(today, index - 29)
    return { key: date, label: date.slice(5), value: runs.get(date) ?? 0 }
  })
}

const percent = (rate: number | null) => (rate === null ? '—' : `${Math.round(rate * 100)} %`)
const seconds = (value: number | null) => (value === null ? '—' : duration(value))
