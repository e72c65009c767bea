import { ActionIcon } from '@mantine/core'
import { IconCopy, IconDots, IconPencil, IconTrash } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { Loop } from '../../../runtime/loops/schema.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { useChange } from '../../parts/use-change.ts'

const stale = ['/api/loops']

/** The actions on a loop, wherever it is shown. */
export function useLoopActions({ id, name }: Pick<Loop, 'id' | 'name'>) {
  const [location, navigate] = useLocation()
  const params = { id }
  const start = useChange((api) => api.post('/api/loops/{id}/start', { params }), { stale })
  const pause = useChange((api) => api.post('/api/loops/{id}/pause', { params }), { stale })
  const resume = useChange((api) => api.post('/api/loops/{id}/resume', { params }), { stale })
  const stop = useChange((api) => api.post('/api/loops/{id}/stop', { params }), { stale })
  const steer = useChange(
    (api, instruction: string) => api.post('/api/loops/{id}/steer', { params, body: { instruction } }),
    { stale },
  )
  const remove = useChange(
    async (api) => {
      await api.delete('/api/loops/{id}', { params })
      if (location !== '/loops') navigate('/loops')
    },
    { stale, done: () => announce(`${name} was deleted`) },
  )
  return { start, pause, resume, stop, steer, remove }
}

export function LoopMenu({ loop }: { loop: Loop }) {
  const { id, name } = loop
  const { remove } = useLoopActions(loop)
  return (
    <ConfirmByName
      name={name}
      what="loop"
      effect="It is stopped, and its runs and iterations are deleted. Conversations and files are kept."
      run={remove}
    >
      {(ask) => (
        <ActionMenu
          width={200}
          actions={[
            { label: 'Edit', icon: <IconPencil size={16} />, href: `/loops/${id}/edit` },
            { label: 'Duplicate…', icon: <IconCopy size={16} />, href: `/loops/new?copy=${id}` },
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
