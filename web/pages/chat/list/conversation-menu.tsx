import { lazy, Suspense, useState } from 'react'
import type { Conversation } from '../../../api/chat.ts'
import { MoreButton } from './more-button.tsx'

export interface ConversationMenuProps {
  conversation: Conversation
  className?: string | undefined
}

const OpenMenu = lazy(async () => ({ default: (await import('./open-menu.tsx')).OpenMenu }))

/** In the list and in the header alike: a button, until somebody wants what is behind it. */
export function ConversationMenu({ conversation, className }: ConversationMenuProps) {
  const [asked, setAsked] = useState(false)
  const closed = {
    title: conversation.title,
    className,
    'aria-haspopup': 'menu',
    'aria-expanded': false,
  } as const
  if (!asked) return <MoreButton {...closed} onClick={() => setAsked(true)} />
  return (
    <Suspense fallback={<MoreButton {...closed} />}>
      <OpenMenu conversation={conversation} className={className} />
    </Suspense>
  )
}
