import { Group, SegmentedControl, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { agentsQuery } from '../../../api/agents.ts'
import { type JobStatus, jobsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { jobLabels } from '../labels.ts'
import { Examples } from './examples.tsx'
import { JobRow } from './job-row.tsx'
import { WordsBar } from './words-bar.tsx'

const all = 'all'
const choices = [
  { value: all, label: 'All' },
  ...Object.entries(jobLabels).map(([value, { label }]) => ({ value, label })),
]

/** Every job, the one that runs next first. */
export function JobsView() {
  const api = useApi()
  const [status, setStatus] = useState(all)
  const query = useQuery(jobsQuery(api, status === all ? {} : { status: status as JobStatus }))
  const agents = useQuery(agentsQuery(api)).data?.agents ?? []
  return (
    <>
      <WordsBar />
      <Group mb="sm" style={{ overflowX: 'auto' }} wrap="nowrap">
        <SegmentedControl aria-label="Show" size="xs" data={choices} value={status} onChange={setStatus} />
      </Group>
      <Loaded query={query} what="Jobs" skeleton={<Skeleton />}>
        {({ jobs, total }) => {
          if (jobs.length === 0)
            return status === all ? <Examples /> : <NoneSo status={status as JobStatus} />
          return (
            <>
              <section className="card" aria-label="Jobs">
                {jobs.map((job) => (
                  <JobRow key={job.id} job={job} agent={agents.find(({ id }) => id === job.agent_id)?.name} />
                ))}
              </section>
              {total > jobs.length && (
                <Text size="sm" c="dimmed" mt="xs">
                  The first {jobs.length} of {total} jobs.
                </Text>
              )}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

const Skeleton = () => (
  <div className="card">
    <SkeletonRows count={5} height={64} />
  </div>
)

const NoneSo = ({ status }: { status: JobStatus }) => (
  <Text size="sm" c="dimmed" py="md">
    No job is {jobLabels[status].label.toLowerCase()}.
  </Text>
)
