import { Group, Switch, Text, Tooltip } from '@mantine/core'
import { Link } from 'wouter'
import type { Job, RunStatus } from '../../../api/scheduler.ts'
import { counted } from '../../../parts/numbers.ts'
import { Time } from '../../../parts/time.tsx'
import { describe } from '../schedule/describe.ts'
import classes from '../scheduler.module.css'
import { JobBadge, RunBadge } from '../status-badge.tsx'
import { JobMenu } from './job-menu.tsx'
import { useJobActions } from './use-job-actions.ts'

export function JobRow({ job, agent }: { job: Job; agent: string | undefined }) {
  return (
    <article className={classes.job} aria-label={job.name}>
      <div className={`${classes.who} grow`}>
        <Group gap="xs" wrap="nowrap">
          <Link href={`/scheduler/${job.id}`} className={classes.name}>
            {job.name}
          </Link>
          {job.status !== 'active' && <JobBadge status={job.status} />}
        </Group>
        <Text size="xs" c="dimmed">
          {describe(job.schedule)}
          {agent && ` · ${agent}`} · {counted(job.run_count, 'run', 'runs')}
        </Text>
        {job.paused_reason && (
          <Text size="xs" c="var(--mantine-color-error)">
            {job.paused_reason}
          </Text>
        )}
      </div>
      <div>
        <div className={classes.term}>Next</div>
        <div className={classes.fact}>{job.next_run_at ? <Time at={job.next_run_at} /> : '—'}</div>
      </div>
      <div>
        <div className={classes.term}>Last</div>
        <Group gap={6} className={classes.fact}>
          {job.last_run_at ? <Time at={job.last_run_at} /> : '—'}
          {job.last_status && <RunBadge status={job.last_status as RunStatus} />}
        </Group>
      </div>
      <Group gap={4} wrap="nowrap" className={classes.actions}>
        <ActiveSwitch job={job} />
        <JobMenu job={job} />
      </Group>
    </article>
  )
}

/** A job that has ended has no switch: a new schedule sets it going again. */
function ActiveSwitch({ job }: { job: Job }) {
  const { toggle } = useJobActions(job)
  const ended = job.status === 'completed' || job.status === 'failed'
  const active = toggle.isPending ? job.status !== 'active' : job.status === 'active'
  const label = ended ? 'It has ended: give it a new schedule' : active ? 'Pause' : 'Resume'
  return (
    <Tooltip label={label}>
      <div>
        <Switch
          aria-label={`${job.name} is active`}
          checked={active}
          disabled={ended}
          onChange={() => !toggle.isPending && toggle.mutate()}
        />
      </div>
    </Tooltip>
  )
}
