import { useQuery } from '@tanstack/react-query'
import { jobsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { RunList } from './run-list.tsx'

/** The runs of all jobs. */
export function RunsView() {
  const jobs = useQuery(jobsQuery(useApi())).data?.jobs ?? []
  return (
    <Panel title="Runs of all jobs">
      <RunList job={null} names={new Map(jobs.map(({ id, name }) => [id, name]))} />
    </Panel>
  )
}
