import { Group, Select, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ShownRun as Run, RunStatus } from '../../../runtime/scheduler/schema.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { List } from '../../parts/list.tsx'
import { duration, money } from '../../parts/numbers.ts'
import { optionsOf } from '../../parts/options.ts'
import { Panel } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { RunBadge, runLabels, triggerLabels } from './status.tsx'

/** The runs of all jobs. */
export function RunsView() {
  const jobs = useEndpoint('/api/scheduler/jobs', { query: { limit: 200 } }).data?.jobs ?? []
  return (
    <Panel title="Runs of all jobs">
      <RunList job={null} names={new Map(jobs.map(({ id, name }) => [id, name]))} />
    </Panel>
  )
}

interface RunListProps {
  /** Null for all jobs. */
  job: string | null
  /** Names of jobs by ID, shown in each row. */
  names?: ReadonlyMap<string, string>
}

function useRuns(job: string | null, status: RunStatus | null) {
  const query = { ...(status && { status }) }
  const all = usePages('/api/scheduler/runs', { query }, { size: 25, enabled: job === null })
  const params = { id: job ?? '' }
  const own = usePages('/api/scheduler/jobs/{id}/runs', { params, query }, { size: 25, enabled: job !== null })
  return job === null ? all : own
}

const statuses = optionsOf(runLabels)

/** Newest first. */
export function RunList({ job, names }: RunListProps) {
  const [status, setStatus] = useState<RunStatus | null>(null)
  const query = useRuns(job, status)
  return (
    <>
      <Group px="md" pb="sm">
        <Select
          size="xs"
          w={170}
          aria-label="Run status"
          placeholder="Any status"
          clearable
          data={statuses}
          value={status}
          onChange={(value) => setStatus(value as RunStatus | null)}
        />
      </Group>
      <List query={query} what="Runs" items="runs" empty={status ? 'No runs with this status' : 'No runs yet'}>
        {(run) => <RunRow key={run.id} run={run} name={names?.get(run.job_id)} />}
      </List>
    </>
  )
}

function RunRow({ run, name }: { run: Run; name: string | undefined }) {
  const [preview = ''] = (run.error ?? run.output ?? '').trim().split('\n', 1)
  return (
    <Link href={`/scheduler/${run.job_id}/${run.id}`} className="row">
      <RunBadge run={run} />
      <div className="grow">
        <Group gap="xs">
          {name && (
            <Text size="sm" fw={550}>
              {name}
            </Text>
          )}
          <Text size="sm">
            <Time at={run.started_at ?? run.scheduled_for} />
          </Text>
          <Hint>{triggerOf(run)}</Hint>
        </Group>
        {preview && <Hint truncate>{preview}</Hint>}
      </div>
      <Hint ta="right" style={{ flexShrink: 0 }}>
        {run.duration_seconds !== null && duration(run.duration_seconds)}
        {run.cost_usd > 0 && (
          <>
            <br />
            {money(run.cost_usd)}
          </>
        )}
      </Hint>
    </Link>
  )
}

/** What started a run: "Manual", "Retry, attempt 2". */
export const triggerOf = ({ trigger, attempt }: Run): string =>
  attempt > 1 ? `${triggerLabels[trigger]}, attempt ${attempt}` : triggerLabels[trigger]
