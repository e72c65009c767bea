import { ActionIcon } from '@mantine/core'
import {
  IconArchive,
  IconArchiveOff,
  IconDots,
  IconFileText,
  IconJson,
  IconPencil,
  IconPin,
  IconPinnedOff,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Conversation, ConversationChanges } from '../../../runtime/chat/schema.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { announce } from '../../parts/announce.ts'
import { lazily } from '../../parts/lazily.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useChange } from '../../parts/use-change.ts'
import { useSessions } from './sessions.tsx'

const Dialogs = lazily(() => import('./conversation-dialogs.tsx'), 'ConversationDialogs')

interface ConversationMenuProps {
  conversation: Conversation
  className?: string | undefined
}

/** The menu of a conversation, in the list and in the header. */
export function ConversationMenu({ conversation, className }: ConversationMenuProps) {
  const [dialog, setDialog] = useState<'rename' | 'share' | 'delete' | null>(null)
  const { update, remove, download } = useConversationActions(conversation)
  const { title, pinned, archived } = conversation
  return (
    <>
      <ActionMenu
        actions={[
          { label: 'Rename…', icon: IconPencil, onClick: () => setDialog('rename') },
          { label: 'Share…', icon: IconUsers, onClick: () => setDialog('share') },
          {
            label: pinned ? 'Unpin' : 'Pin',
            icon: pinned ? IconPinnedOff : IconPin,
            onClick: () => update.mutate({ pinned: !pinned }),
          },
          {
            label: archived ? 'Restore from the archive' : 'Archive',
            icon: archived ? IconArchiveOff : IconArchive,
            onClick: () => update.mutate({ archived: !archived }),
          },
          'divider',
          {
            label: 'Export as Markdown',
            icon: IconFileText,
            onClick: () => download.mutate('markdown'),
          },
          { label: 'Export as JSON', icon: IconJson, onClick: () => download.mutate('json') },
          'divider',
          {
            label: 'Delete…',
            icon: IconTrash,
            color: 'red',
            onClick: () => setDialog('delete'),
          },
        ]}
      >
        <ActionIcon variant="subtle" color="gray" className={className} aria-label={`More actions for ${title}`}>
          <IconDots size={18} />
        </ActionIcon>
      </ActionMenu>
      {dialog && (
        <Dialogs
          dialog={dialog}
          conversation={conversation}
          rename={(changed) => update.mutate({ title: changed })}
          share={(shared_with) => update.mutate({ shared_with })}
          remove={remove}
          close={() => setDialog(null)}
        />
      )}
    </>
  )
}

export function useConversationActions({ id, title }: Conversation) {
  const sessions = useSessions()
  const [location, navigate] = useLocation()
  const stale = ['/api/chat/conversations']
  const update = useChange(
    (api, body: ConversationChanges) => api.put('/api/chat/conversations/{id}', { params: { id }, body }),
    {
      stale,
      done(changed, { archived }) {
        sessions.get(id).changed(changed)
        if (archived !== undefined) announce(archived ? 'Archived' : 'Restored from the archive')
      },
    },
  )
  const remove = useChange((api) => api.delete('/api/chat/conversations/{id}', { params: { id } }), {
    stale,
    done() {
      sessions.delete(id)
      if (location === `/chat/${id}`) navigate('/chat', { replace: true })
      announce(`“${title}” was deleted`)
    },
  })
  const download = useChange((api, format: 'markdown' | 'json') =>
    saveFile(
      `${title}.${format === 'json' ? 'json' : 'md'}`,
      api.open('GET', '/api/chat/conversations/{id}/export', { params: { id }, query: { format } }),
    ),
  )
  return { update, remove, download }
}
