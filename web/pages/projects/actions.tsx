import { IconCopy, IconDownload, IconPencil, IconRefresh, IconWand } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { Project } from '../../../runtime/projects/schema.ts'
import { announce } from '../../parts/announce.ts'
import { EntityMenu } from '../../parts/entity-menu.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'

const stale = ['/api/projects']

/** The actions on a project, wherever it is shown. */
export function useProjectActions({ id, name }: Pick<Project, 'id' | 'name'>) {
  const [location, navigate] = useLocation()
  const params = { id }
  const plan = useChange((api) => api.post('/api/projects/{id}/generate-plan', { params }), { stale })
  const approve = useChange((api) => api.post('/api/projects/{id}/approve', { params }), {
    stale,
    done: () => announce(`${name} was started`),
  })
  const cancel = useChange((api) => api.post('/api/projects/{id}/cancel', { params }), { stale })
  const duplicate = useChange((api) => api.post('/api/projects/{id}/duplicate', { params }), {
    stale,
    done: (copy) => navigate(`/projects/${copy.id}`),
  })
  const download = useChange((api) =>
    saveFile(`${name}.zip`, api.open('GET', '/api/projects/{id}/download', { params })),
  )
  const remove = useChange(
    async (api) => {
      await api.delete('/api/projects/{id}', { params })
      if (location !== '/projects') navigate('/projects')
    },
    { stale, done: () => announce(`${name} was deleted`) },
  )
  const share = useChange(
    (api, shared_with: string[]) => api.put('/api/projects/{id}', { params, body: { shared_with } }),
    { stale },
  )
  return { plan, approve, cancel, duplicate, download, remove, share }
}

interface ProjectMenuProps {
  project: Project
  /** Null while there is no plan that could be replaced. */
  openDialog: ((dialog: 'refine' | 'regenerate') => void) | null
}

export function ProjectMenu({ project, openDialog }: ProjectMenuProps) {
  const { duplicate, download, remove, share } = useProjectActions(project)
  const { id, name, status, shared_with } = project
  const isMine = useIsMine(project)
  const replace = isMine && (openDialog ?? false)
  const text =
    'The people you choose can see this project and its files. Only you can change, approve and delete it.'
  return (
    <EntityMenu
      name={name}
      what="project"
      effect="Its tasks and files are deleted, and running tasks are stopped. Conversations are kept."
      actions={[
        isMine && { label: 'Edit', icon: IconPencil, href: `/projects/${id}/edit` },
        replace &&
          status !== 'running' && { label: 'Refine plan…', icon: IconWand, onClick: () => replace('refine') },
        replace && { label: 'Regenerate plan…', icon: IconRefresh, onClick: () => replace('regenerate') },
        { label: 'Duplicate', icon: IconCopy, onClick: () => duplicate.mutate() },
        { label: 'Download files', icon: IconDownload, onClick: () => download.mutate() },
      ]}
      share={isMine && { text, shared_with, run: share }}
      remove={isMine && remove}
    />
  )
}
