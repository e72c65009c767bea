import { ActionIcon } from '@mantine/core'
import { IconDots, IconTrash, IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { ActionMenu, type ActionMenuProps } from './action-menu.tsx'
import { type ConfirmByNameProps, Question } from './confirm-by-name.tsx'
import { lazily } from './lazily.ts'
import { useChange } from './use-change.ts'

const ShareDialog = lazily(() => import('./share-dialog.tsx'), 'ShareDialog')

interface Sharing {
  /** The address of the collection. */
  path: '/api/credentials' | '/api/loops' | '/api/projects' | '/api/tables' | '/api/workflows'
  item: { id: string; shared_with: string[] }
  /** What the chosen people can do. */
  text: string
}

interface EntityMenuProps extends Pick<ConfirmByNameProps, 'name' | 'what' | 'effect'> {
  /** What comes before sharing and deleting. */
  actions: ActionMenuProps['actions']
  /** False for those who cannot share it. */
  share?: false | Sharing
  /** False for those who cannot delete it. */
  remove: false | ConfirmByNameProps['run']
  /** Called after a `remove` through the API. */
  removed?: () => unknown
}

/** The button that opens the actions on an entity. */
export function EntityMenu({ name, what, effect, actions, share = false, remove, removed }: EntityMenuProps) {
  const [dialog, setDialog] = useState<'share' | 'delete' | null>(null)
  const close = () => setDialog(null)
  return (
    <>
      <ActionMenu
        actions={[
          ...actions,
          share && { label: 'Share…', icon: IconUsers, onClick: () => setDialog('share') },
          remove && 'divider',
          remove && { label: 'Delete…', color: 'red', icon: IconTrash, onClick: () => setDialog('delete') },
        ]}
      >
        <ActionIcon variant="subtle" color="gray" aria-label={`More actions for ${name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </ActionMenu>
      {remove && dialog === 'delete' && (
        <Question name={name} what={what} effect={effect} run={remove} done={removed} close={close} />
      )}
      {share && dialog === 'share' && <Share title={`Share ${what}`} {...share} close={close} />}
    </>
  )
}

function Share({ path, item: { id, shared_with }, ...dialog }: Sharing & { title: string; close: () => void }) {
  const share = useChange((api, users: string[]) =>
    api.put(`${path}/{id}` as '/api/loops/{id}', { params: { id }, body: { shared_with: users } }),
  )
  return <ShareDialog {...dialog} shared_with={shared_with} share={share.mutate} />
}
