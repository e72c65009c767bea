import { IconCopy, IconDownload, IconPencil, IconRefresh, IconWand } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { Project } from '../../../runtime/projects/schema.ts'
import type { Api } from '../../api/client.ts'
import { EntityMenu } from '../../parts/entity-menu.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useChange } from '../../parts/use-change.ts'
import { useDeletion } from '../../parts/use-deletion.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'

/** Saves the files of a project. */
export const downloadFiles =
  ({ id, name }: Pick<Project, 'id' | 'name'>) =>
  (api: Api) =>
    saveFile(`${name}.zip`, api.open('GET', '/api/projects/{id}/download', { params: { id } }))

interface ProjectMenuProps {
  project: Project
  /** Null while there is no plan that could be replaced. */
  openDialog: ((dialog: 'refine' | 'regenerate') => void) | null
}

export function ProjectMenu({ project, openDialog }: ProjectMenuProps) {
  const { id, name, status } = project
  const params = { id }
  const isMine = useIsMine(project)
  const [, navigate] = useLocation()
  const remove = useDeletion({ path: '/api/projects', id, name, home: '/projects' })
  const duplicate = useChange((api) => api.post('/api/projects/{id}/duplicate', { params }), {
    done: (copy) => navigate(`/projects/${copy.id}`),
  })
  const download = useChange(downloadFiles(project))
  const replace = isMine && (openDialog ?? false)
  const text = 'The people you choose can see this project and its files. Only you can change, approve and delete it.'
  return (
    <EntityMenu
      name={name}
      what="project"
      effect="Its tasks and files are deleted, and running tasks are stopped. Conversations are kept."
      actions={[
        isMine && { label: 'Edit', icon: IconPencil, href: `/projects/${id}/edit` },
        replace && status !== 'running' && { label: 'Refine plan…', icon: IconWand, onClick: () => replace('refine') },
        replace && { label: 'Regenerate plan…', icon: IconRefresh, onClick: () => replace('regenerate') },
        { label: 'Duplicate', icon: IconCopy, onClick: () => duplicate.mutate() },
        { label: 'Download files', icon: IconDownload, onClick: () => download.mutate() },
      ]}
      share={isMine && { path: '/api/projects', item: project, text }}
      remove={isMine && remove}
    />
  )
}
