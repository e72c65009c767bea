import { IconCopy, IconPencil } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { Loop } from '../../../runtime/loops/schema.ts'
import { announce } from '../../parts/announce.ts'
import { EntityMenu } from '../../parts/entity-menu.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'

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
  const share = useChange(
    (api, shared_with: string[]) => api.put('/api/loops/{id}', { params, body: { shared_with } }),
    { stale },
  )
  return { start, pause, resume, stop, steer, remove, share }
}

export function LoopMenu({ loop }: { loop: Loop }) {
  const { id, name, shared_with } = loop
  const { remove, share } = useLoopActions(loop)
  const isMine = useIsMine(loop)
  const text =
    'The people you choose can see this loop and its iterations. Only you can change, start and delete it.'
  return (
    <EntityMenu
      name={name}
      what="loop"
      effect="It is stopped, and its runs and iterations are deleted. Conversations and files are kept."
      actions={[
        isMine && { label: 'Edit', icon: IconPencil, href: `/loops/${id}/edit` },
        { label: 'Duplicate…', icon: IconCopy, href: `/loops/new?copy=${id}` },
      ]}
      share={isMine && { text, shared_with, run: share }}
      remove={isMine && remove}
    />
  )
}
