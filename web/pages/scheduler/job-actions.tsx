import { ActionIcon } from '@mantine/core'
import { IconCopy, IconDots, IconPencil, IconPlayerPlay, IconTestPipe, IconTrash } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { Job } from '../../../runtime/scheduler/schema.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { useChange } from '../../parts/use-change.ts'
import { newBodyOf, valuesOf } from './job-values.ts'

/** The actions on a job, wherever it is shown. */
export function useJobActions(job: Job) {
  const [location, navigate] = useLocation()
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
  const copy = { ...valuesOf(job), name: `${job.name} (copy)` }
  const duplicate = useChange((api) => api.post('/api/scheduler/jobs', { body: newBodyOf(copy) }), {
    stale,
    done: ({ id }) => navigate(`/scheduler/${id}/edit`),
  })
  const remove = useChange(
    async (api) => {
      await api.delete('/api/scheduler/jobs/{id}', { params })
      if (location !== '/scheduler') navigate('/scheduler')
    },
    { stale, done: () => announce(`${job.name} was deleted`) },
  )
  return { toggle, runNow, duplicate, remove }
}

export function JobMenu({ job }: { job: Job }) {
  const { runNow, duplicate, remove } = useJobActions(job)
  const path = `/scheduler/${job.id}`
  return (
    <ConfirmByName
      name={job.name}
      what="job"
      effect="This deletes its runs and their output, and stops the active run. Conversations are kept."
      run={remove}
    >
      {(ask) => (
        <ActionMenu
          width={180}
          actions={[
            { label: 'Run now', icon: <IconPlayerPlay size={16} />, onClick: () => runNow.mutate() },
            { label: 'Edit', icon: <IconPencil size={16} />, href: `${path}/edit` },
            { label: 'Dry run', icon: <IconTestPipe size={16} />, href: `${path}/dry-run` },
            { label: 'Duplicate', icon: <IconCopy size={16} />, onClick: () => duplicate.mutate() },
            'divider',
            { label: 'Delete…', color: 'red', icon: <IconTrash size={16} />, onClick: ask },
          ]}
        >
          <ActionIcon variant="subtle" color="gray" aria-label={`More actions for ${job.name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </ActionMenu>
      )}
    </ConfirmByName>
  )
}
