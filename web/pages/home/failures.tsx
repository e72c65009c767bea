import { Text } from '@mantine/core'
import { IconAlertTriangle, IconPlayerPause } from '@tabler/icons-react'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { jobsQuery, latestRunsQuery, type RunStatus } from '../../api/scheduler.ts'
import { useApi } from '../../app/services.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'

const failed: RunStatus[] = ['failed', 'timed_out', 'lost']
/** Milliseconds: what is older is no news. */
const recent = 3 * 24 * 3_600_000
const shown = 5

/** Jobs that failed in the last days, and those that were paused for it. Not there when all is well. */
export function Failures() {
  const api = useApi()
  const jobs = useQuery(jobsQuery(api)).data?.jobs ?? []
  const found = useQueries({
    queries: failed.map((status) => latestRunsQuery(api, { status, limit: shown })),
  })
  const paused = jobs.filter(({ paused_reason }) => paused_reason !== null)
  const since = new Date(Date.now() - recent).toISOString()
  const runs = found
    .flatMap(({ data }) => data?.runs ?? [])
    .filter(({ created_at, job_id }) => created_at > since && !paused.some(({ id }) => id === job_id))
    .toSorted((left, right) => right.created_at.localeCompare(left.created_at))
    .slice(0, shown)
  if (paused.length + runs.length === 0) return null
  return (
    <Panel title="Failures" count={paused.length + runs.length}>
      {paused.map(({ id, name, paused_reason }) => (
        <Link key={id} href={`/scheduler/${id}`} className="row">
          <IconPlayerPause size={18} color="var(--mantine-color-yellow-7)" aria-label="Paused" />
          <Words name={name} why={paused_reason} />
        </Link>
      ))}
      {runs.map(({ id, job_id, error, created_at }) => (
        <Link key={id} href={`/scheduler/${job_id}/${id}`} className="row">
          <IconAlertTriangle size={18} color="var(--mantine-color-red-7)" aria-label="Failed" />
          <Words name={jobs.find((job) => job.id === job_id)?.name ?? 'A job'} why={error} />
          <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
            <Time at={created_at} />
          </Text>
        </Link>
      ))}
    </Panel>
  )
}

function Words({ name, why }: { name: string; why: string | null }) {
  return (
    <div className="grow">
      <Text size="sm" truncate>
        {name}
      </Text>
      <Text size="xs" c="dimmed" truncate>
        {why}
      </Text>
    </div>
  )
}
