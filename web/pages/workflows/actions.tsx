import { ActionIcon } from '@mantine/core'
import { IconCopy, IconDots, IconTrash } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { Workflow } from '../../../runtime/workflows/schema.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { useChange } from '../../parts/use-change.ts'

export const stale = ['/api/workflows']

type Named = Pick<Workflow, 'id' | 'name' | 'status'>

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
  const remove = useChange(
    async (api) => {
      await api.delete('/api/workflows/{id}', { params })
      if (location !== '/workflows') navigate('/workflows')
    },
    { stale, done: () => announce(`${name} was deleted`) },
  )
  return { toggle, run, duplicate, remove }
}

export function WorkflowMenu({ workflow }: { workflow: Named }) {
  const { duplicate, remove } = useWorkflowActions(workflow)
  const { name } = workflow
  return (
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
            'divider',
            { label: 'Delete…', color: 'red', icon: <IconTrash size={16} />, onClick: ask },
          ]}
        >
          <ActionIcon variant="subtle" color="gray" aria-label={`More actions for ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </ActionMenu>
      )}
    </ConfirmByName>
  )
}
