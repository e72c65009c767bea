import { IconCopy, IconPencil } from '@tabler/icons-react'
import type { Loop } from '../../../runtime/loops/schema.ts'
import { EntityMenu } from '../../parts/entity-menu.tsx'
import { useDeletion } from '../../parts/use-deletion.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'

export function LoopMenu({ loop }: { loop: Loop }) {
  const { id, name } = loop
  const isMine = useIsMine(loop)
  const remove = useDeletion({ path: '/api/loops', id, name, home: '/loops' })
  const text = 'The people you choose can see this loop and its iterations. Only you can change, start and delete it.'
  return (
    <EntityMenu
      name={name}
      what="loop"
      effect="It is stopped, and its runs and iterations are deleted. Conversations and files are kept."
      actions={[
        isMine && { label: 'Edit', icon: IconPencil, href: `/loops/${id}/edit` },
        { label: 'Duplicate…', icon: IconCopy, href: `/loops/new?copy=${id}` },
      ]}
      share={isMine && { path: '/api/loops', item: loop, text }}
      remove={isMine && remove}
    />
  )
}
