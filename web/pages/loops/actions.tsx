import { ActionIcon } from '@mantine/core'
import { IconCopy, IconDots, IconPencil, IconTrash, IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Loop } from '../../../runtime/loops/schema.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { lazily } from '../../parts/lazily.ts'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'

const ShareDialog = lazily(() => import('../../parts/share-dialog.tsx'), 'ShareDialog')

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
  const [sharing, setSharing] = useState(false)
  return (
    <>
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
              isMine && { label: 'Edit', icon: <IconPencil size={16} />, href: `/loops/${id}/edit` },
              isMine && { label: 'Share…', icon: <IconUsers size={16} />, onClick: () => setSharing(true) },
              { label: 'Duplicate…', icon: <IconCopy size={16} />, href: `/loops/new?copy=${id}` },
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
          title="Share loop"
          text="The people you choose can see this loop and its iterations. Only you can change, start and delete it."
          shared_with={shared_with}
          share={(chosen) => share.mutate(chosen)}
          close={() => setSharing(false)}
        />
      )}
    </>
  )
}
