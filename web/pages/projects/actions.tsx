import { ActionIcon } from '@mantine/core'
import {
  IconCopy,
  IconDots,
  IconDownload,
  IconPencil,
  IconRefresh,
  IconTrash,
  IconUsers,
  IconWand,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Project } from '../../../runtime/projects/schema.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { lazily } from '../../parts/lazily.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'

const ShareDialog = lazily(() => import('../../parts/share-dialog.tsx'), 'ShareDialog')

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
  const download = useChange(async (api) => {
    const zip = await api.open('GET', '/api/projects/{id}/download', { params })
    saveFile(`${name}.zip`, await zip.blob())
  })
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
  const [sharing, setSharing] = useState(false)
  return (
    <>
      <ConfirmByName
        name={name}
        what="project"
        effect="Its tasks and files are deleted, and running tasks are stopped. Conversations are kept."
        run={remove}
      >
        {(ask) => (
          <ActionMenu
            width={200}
            actions={[
              isMine && { label: 'Edit', icon: <IconPencil size={16} />, href: `/projects/${id}/edit` },
              isMine && { label: 'Share…', icon: <IconUsers size={16} />, onClick: () => setSharing(true) },
              isMine &&
                openDialog !== null &&
                status !== 'running' && {
                  label: 'Refine plan…',
                  icon: <IconWand size={16} />,
                  onClick: () => openDialog('refine'),
                },
              isMine &&
                openDialog !== null && {
                  label: 'Regenerate plan…',
                  icon: <IconRefresh size={16} />,
                  onClick: () => openDialog('regenerate'),
                },
              { label: 'Duplicate', icon: <IconCopy size={16} />, onClick: () => duplicate.mutate() },
              {
                label: 'Download files',
                icon: <IconDownload size={16} />,
                onClick: () => download.mutate(),
              },
              isMine && 'divider',
              isMine && { label: 'Delete…', color: 'red', icon: <IconTrash size={16} />, onClick: ask },
            ]}
          >
            <ActionIcon variant="subtle" color="gray" aria-label={`More actions for ${name}`}>
              <IconDots size={18} />
            </ActionIcon>
          </ActionMenu>
        )}
      </ConfirmByName>
      {sharing && (
        <ShareDialog
          title="Share project"
          text="The people you choose can see this project and its files. Only you can change, approve and delete it."
          shared_with={shared_with}
          share={(chosen) => share.mutate(chosen)}
          close={() => setSharing(false)}
        />
      )}
    </>
  )
}
