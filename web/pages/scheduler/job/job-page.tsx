import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconCalendarOff, IconPencil, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import { type Job, jobQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageHeader } from '../../../parts/page-header.tsx'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import { JobMenu } from '../jobs/job-menu.tsx'
import { useJobActions } from '../jobs/use-job-actions.ts'
import { describe } from '../schedule/describe.ts'
import { JobBadge } from '../status-badge.tsx'
import { Overview } from './overview.tsx'
import { RunsPanel } from './runs-panel.tsx'

const JobDrawer = lazy(async () => ({ default: (await import('../form/job-drawer.tsx')).JobDrawer }))
const RunDrawer = lazy(async () => ({ default: (await import('./run-drawer.tsx')).RunDrawer }))
const DryRunDialog = lazy(async () => ({ default: (await import('./dry-run-dialog.tsx')).DryRunDialog }))
const BackfillDialog = lazy(async () => ({ default: (await import('./backfill-dialog.tsx')).BackfillDialog }))

/** One job; `part` is what is open beside it: `edit`, `dry-run`, `backfill` or a run. */
export function JobPage({ id, part }: { id: string; part: string | undefined }) {
  const query = useQuery(jobQuery(useApi(), id))
  return (
    <div className="page">
      <Anchor component={Link} href="/scheduler" size="sm" underline="hover">
        ← Scheduler
      </Anchor>
      <Loaded query={query} what="This job" skeleton={<SkeletonRows count={6} />}>
        {(job) => (job ? <Whole job={job} part={part} /> : <Gone />)}
      </Loaded>
    </div>
  )
}

function Whole({ job, part }: { job: Job; part: string | undefined }) {
  const [, navigate] = useLocation()
  const close = () => navigate(`/scheduler/${job.id}`)
  return (
    <>
      <PageHeader title={job.name} description={describe(job.schedule)}>
        <JobBadge status={job.status} />
        <Actions job={job} />
      </PageHeader>
      <Stack gap="lg">
        {job.paused_reason && (
          <Text size="sm" c="var(--mantine-color-error)" role="status">
            {job.paused_reason}
          </Text>
        )}
        <Overview job={job} />
        <RunsPanel job={job} />
      </Stack>
      <Suspense>
        {part === 'edit' && <JobDrawer job={job} close={close} />}
        {part === 'dry-run' && <DryRunDialog job={job} close={close} />}
        {part === 'backfill' && <BackfillDialog job={job} close={close} />}
        {part?.startsWith('run_') && <RunDrawer job={job} id={part} close={close} />}
      </Suspense>
    </>
  )
}

function Actions({ job }: { job: Job }) {
  const { toggle, runNow } = useJobActions(job)
  const active = job.status === 'active'
  const Icon = active ? IconPlayerPause : IconPlayerPlay
  return (
    <Group gap="xs">
      <Button
        size="xs"
        leftSection={<IconPlayerPlay size={14} />}
        loading={runNow.isPending}
        onClick={() => runNow.mutate()}
      >
        Run now
      </Button>
      {(active || job.status === 'paused') && (
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon size={14} />}
          loading={toggle.isPending}
          onClick={() => toggle.mutate()}
        >
          {active ? 'Pause' : 'Resume'}
        </Button>
      )}
      <Button
        component={Link}
        href={`/scheduler/${job.id}/edit`}
        size="xs"
        variant="default"
        leftSection={<IconPencil size={14} />}
      >
        Edit
      </Button>
      <JobMenu job={job} />
    </Group>
  )
}

const Gone = () => (
  <EmptyState icon={<IconCalendarOff />} title="No such job">
    It may have been deleted.
  </EmptyState>
)
