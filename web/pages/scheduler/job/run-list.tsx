import { Group, Select, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type RunStatus, runsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { ShowMore } from '../../../parts/show-more.tsx'
import { runLabels } from '../labels.ts'
import { RunRow } from './run-row.tsx'

interface RunListProps {
  /** Null: of all jobs. */
  job: string | null
  /** Names of jobs by id, where the rows must say which it was. */
  names: ReadonlyMap<string, string> | null
}

const choices = Object.entries(runLabels).map(([value, { label }]) => ({ value, label }))

/** The newest first, of one status or of all. */
export function RunList({ job, names }: RunListProps) {
  const [status, setStatus] = useState<RunStatus | null>(null)
  const query = useInfiniteQuery(runsQuery(useApi(), job, status))
  return (
    <>
      <Group px="md" pb="sm">
        <Select
          size="xs"
          w={170}
          aria-label="Status of the runs"
          placeholder="Any status"
          clearable
          data={choices}
          value={status}
          onChange={(value) => setStatus(value as RunStatus | null)}
        />
      </Group>
      <Loaded query={query} what="Runs">
        {({ pages }) => {
          const runs = pages.flatMap((page) => page.runs)
          if (runs.length === 0)
            return (
              <Text size="sm" c="dimmed" px="md" pb="md">
                {status ? 'No run has ended so.' : 'It has not run yet.'}
              </Text>
            )
          return runs.map((run) => <RunRow key={run.id} run={run} name={names?.get(run.job_id)} />)
        }}
      </Loaded>
      <ShowMore query={query} />
    </>
  )
}
