import { ActionIcon } from '@mantine/core'
import { IconDots, IconTrash, IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { ActionMenu, type ActionMenuProps } from './action-menu.tsx'
import { type ConfirmByNameProps, Question } from './confirm-by-name.tsx'
import { lazily } from './lazily.ts'

const ShareDialog = lazily(() => import('./share-dialog.tsx'), 'ShareDialog')

interface EntityMenuProps extends Pick<ConfirmByNameProps, 'name' | 'what' | 'effect'> {
  /** What comes before sharing and deleting. */
  actions: ActionMenuProps['actions']
  /** False for those who cannot share it. */
  share?: false | { text: string; shared_with: string[]; run: { mutate(shared_with: string[]): void } }
  /** False for those who cannot delete it. */
  remove: false | ConfirmByNameProps['run']
}

/** The button that opens the actions on an entity. */
export function EntityMenu({ name, what, effect, actions, share = false, remove }: EntityMenuProps) {
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
        <Question name={name} what={what} effect={effect} run={remove} close={close} />
      )}
      {share && dialog === 'share' && (
        <ShareDialog
          title={`Share ${what}`}
          text={share.text}
          shared_with={share.shared_with}
          share={share.run.mutate}
          close={close}
        />
      )}
    </>
  )
}
