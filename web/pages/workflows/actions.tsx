import { ActionIcon } from '@mantine/core'
import { IconCopy, IconDots, IconDownload, IconTrash, IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Workflow } from '../../../runtime/workflows/schema.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { lazily } from '../../parts/lazily.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'

const ShareDialog = lazily(() => import('../../parts/share-dialog.tsx'), 'ShareDialog')

export const stale = ['/api/workflows']

type Named = Pick<Workflow, 'id' | 'owner_id' | 'name' | 'status' | 'shared_with'>

/** The actions on a workflow, wherever it is shown. */
export function useWorkflowActions({ id, name, status }: Named) {
  const [location, navigate] = useLocation()
  const params = { id }
  const toggle = useChange(
    (api) =>
      status === 'active'
        ? api.post('/api/workflows/{id}/deactivate', { params })
        : api.post('/api/workflows/{id}/activate', { params }),
    { stale },
  )
  const run = useChange((api) => api.post('/api/workflows/{id}/execute', { params, body: {} }), {
    stale,
    done: ({ execution_id }) => navigate(`/workflows/${id}?execution=${execution_id}`),
  })
  const duplicate = useChange((api) => api.post('/api/workflows/{id}/duplicate', { params }), {
    stale,
    done: (copy) => navigate(`/workflows/${copy.id}`),
  })
  const download = useChange(async (api) => {
    const exported = await api.open('GET', '/api/workflows/{id}/export', { params })
    saveFile(`${name}.workflow.json`, await exported.blob())
  })
  const share = useChange(
    (api, shared_with: string[]) => api.put('/api/workflows/{id}', { params, body: { shared_with } }),
    { stale },
  )
  const remove = useChange(
    async (api) => {
      await api.delete('/api/workflows/{id}', { params })
      if (location !== '/workflows') navigate('/workflows')
    },
    { stale, done: () => announce(`${name} was deleted`) },
  )
  return { toggle, run, duplicate, download, share, remove }
}

export function WorkflowMenu({ workflow }: { workflow: Named }) {
  const { duplicate, download, share, remove } = useWorkflowActions(workflow)
  const { name, shared_with } = workflow
  const isMine = useIsMine(workflow)
  const [sharing, setSharing] = useState(false)
  return (
    <>
      <ConfirmByName
        name={name}
        what="workflow"
        effect="Its versions and executions are deleted, and running executions are stopped."
        run={remove}
      >
        {(ask) => (
          <ActionMenu
            width={180}
            actions={[
              { label: 'Duplicate', icon: <IconCopy size={16} />, onClick: () => duplicate.mutate() },
              { label: 'Export', icon: <IconDownload size={16} />, onClick: () => download.mutate() },
              isMine && { label: 'Share…', icon: <IconUsers size={16} />, onClick: () => setSharing(true) },
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
          title="Share workflow"
          text="The people you choose can see this workflow and run it. Only you can change and delete it."
          shared_with={shared_with}
          share={(chosen) => share.mutate(chosen)}
          close={() => setSharing(false)}
        />
      )}
    </>
  )
}
