import { Drawer } from '@mantine/core'
import { IconCalendarOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type Job, runQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { EmptyState } from '../../../parts/states.tsx'
import { RunDetail } from './run-detail.tsx'

interface RunDrawerProps {
  job: Job
  id: string
  close: () => void
}

export function RunDrawer({ job, id, close }: RunDrawerProps) {
  const query = useQuery(runQuery(useApi(), job.id, id))
  return (
    <Drawer opened onClose={close} position="right" size="lg" title={`A run of ${job.name}`}>
      <Loaded query={query} what="This run">
        {(run) =>
          run ? (
            <RunDetail run={run} />
          ) : (
            <EmptyState icon={<IconCalendarOff />} title="No such run">
              It may have been deleted with its job.
            </EmptyState>
          )
        }
      </Loaded>
    </Drawer>
  )
}
