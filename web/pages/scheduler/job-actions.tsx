import { IconCopy, IconPencil, IconPlayerPlay, IconTestPipe } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { Job } from '../../../runtime/scheduler/schema.ts'
import { announce } from '../../parts/announce.ts'
import { EntityMenu } from '../../parts/entity-menu.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useDeletion } from '../../parts/use-deletion.ts'
import { newJobPath } from './new-job-path.ts'

/** The actions on a job, wherever it is shown. */
export function useJobActions(job: Job) {
  const [, navigate] = useLocation()
  const stale = ['/api/scheduler']
  const params = { id: job.id }
  const toggle = useChange(
    (api) => api.post(`/api/scheduler/jobs/{id}/${job.status === 'active' ? 'pause' : 'resume'}`, { params }),
    { stale },
  )
  const runNow = useChange((api) => api.post('/api/scheduler/jobs/{id}/trigger', { params }), {
    stale,
    done({ run_id }) {
      announce(`${job.name} was started`)
      navigate(`/scheduler/${job.id}/${run_id}`)
    },
  })
  const { id, name } = job
  const remove = useDeletion({ path: '/api/scheduler/jobs', id, name, home: '/scheduler', stale })
  return { toggle, runNow, remove }
}

export function JobMenu({ job }: { job: Job }) {
  const { runNow, remove } = useJobActions(job)
  const path = `/scheduler/${job.id}`
  return (
    <EntityMenu
      name={job.name}
      what="job"
      effect="This deletes its runs and their output, and stops the active run. Conversations are kept."
      actions={[
        { label: 'Run now', icon: IconPlayerPlay, onClick: () => runNow.mutate() },
        { label: 'Edit', icon: IconPencil, href: `${path}/edit` },
        { label: 'Dry run', icon: IconTestPipe, href: `${path}/dry-run` },
        { label: 'Duplicate', icon: IconCopy, href: newJobPath({ copy: job.id }) },
      ]}
      remove={remove}
    />
  )
}
