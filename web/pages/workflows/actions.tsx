import { IconCopy, IconDownload } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { Workflow } from '../../../runtime/workflows/schema.ts'
import { EntityMenu } from '../../parts/entity-menu.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useChange } from '../../parts/use-change.ts'
import { useDeletion } from '../../parts/use-deletion.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'

export const stale = ['/api/workflows']

type Named = Pick<Workflow, 'id' | 'owner_id' | 'name' | 'status' | 'shared_with'>

/** The actions on a workflow, wherever it is shown. */
export function useWorkflowActions({ id, name, status }: Named) {
  const [, navigate] = useLocation()
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
  const download = useChange((api) =>
    saveFile(`${name}.workflow.json`, api.open('GET', '/api/workflows/{id}/export', { params })),
  )
  const remove = useDeletion({ path: '/api/workflows', id, name, home: '/workflows' })
  return { toggle, run, duplicate, download, remove }
}

export function WorkflowMenu({ workflow }: { workflow: Named }) {
  const { duplicate, download, remove } = useWorkflowActions(workflow)
  const { name } = workflow
  const isMine = useIsMine(workflow)
  const text = 'The people you choose can see this workflow and run it. Only you can change and delete it.'
  return (
    <EntityMenu
      name={name}
      what="workflow"
      effect="Its versions and executions are deleted, and running executions are stopped."
      actions={[
        { label: 'Duplicate', icon: IconCopy, onClick: () => duplicate.mutate() },
        { label: 'Export', icon: IconDownload, onClick: () => download.mutate() },
      ]}
      share={isMine && { path: '/api/workflows', item: workflow, text }}
      remove={isMine && remove}
    />
  )
}
