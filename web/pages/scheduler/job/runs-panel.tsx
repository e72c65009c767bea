import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import type { Job } from '../../../api/scheduler.ts'
import { Panel } from '../../../parts/panel.tsx'
import { RunList } from './run-list.tsx'

export function RunsPanel({ job }: { job: Job }) {
  return (
    <Panel
      title="Runs"
      action={
        <Anchor component={Link} href={`/scheduler/${job.id}/backfill`} size="sm" underline="hover">
          Run for past times
        </Anchor>
      }
    >
      <RunList job={job.id} names={null} />
    </Panel>
  )
}
