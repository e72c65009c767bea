import { memo } from 'react'
import { OutOfSight } from '../../../parts/markdown/markdown.tsx'
import type { ChatSession } from '../state/session.ts'
import { type ThreadMessage, textOf } from '../state/thread.ts'
import { AssistantMessage } from './assistant-message.tsx'
import classes from './thread.module.css'
import { UserMessage } from './user-message.tsx'

interface MessageRowProps {
  session: ChatSession
  item: ThreadMessage
  last: boolean
  /** It was looked for, and is shown so for a moment. */
  found: boolean
  /** When it is drawn for the first time nobody sees it. */
  hidden: boolean
}

/** One message. Far from the screen the browser neither lays it out nor paints it. */
export const MessageRow = memo(function MessageRow({ session, item, last, found, hidden }: MessageRowProps) {
  const { role } = item.message
  return (
    <li className={classes.row} id={item.message.id} data-role={role} data-found={found || undefined}>
      {role === 'user' && <UserMessage session={session} item={item} />}
      {role === 'assistant' && (
        <OutOfSight value={hidden}>
          <AssistantMessage session={session} item={item} last={last} />
        </OutOfSight>
      )}
      {(role === 'system' || role === 'tool') && <p className={classes.note}>{textOf(item.message)}</p>}
    </li>
  )
})
