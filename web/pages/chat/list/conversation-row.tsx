import { Indicator, Tooltip } from '@mantine/core'
import { IconClockHour4, IconMessages, IconRepeat } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Conversation } from '../../../api/chat.ts'
import { ConversationMenu } from './conversation-menu.tsx'
import classes from './list.module.css'

const kinds: Partial<Record<Conversation['kind'], { icon: typeof IconRepeat; label: string }>> = {
  scheduled: { icon: IconClockHour4, label: 'Began by a schedule' },
  channel: { icon: IconMessages, label: 'From a channel' },
  loop: { icon: IconRepeat, label: 'Of a loop' },
}

interface ConversationRowProps {
  conversation: Conversation
  active: boolean
  close: () => void
}

export function ConversationRow({ conversation, active, close }: ConversationRowProps) {
  const kind = kinds[conversation.kind]
  return (
    <li className={classes.row} data-active={active || undefined}>
      <Link
        href={`/chat/${conversation.id}`}
        className={classes.link}
        aria-current={active ? 'page' : undefined}
        onClick={close}
      >
        {kind && <kind.icon size={15} className={classes.kind} aria-label={kind.label} />}
        <span className={classes.title}>{conversation.title}</span>
        <StatusDot status={conversation.status} />
      </Link>
      <ConversationMenu conversation={conversation} className={classes.menu} />
    </li>
  )
}

function StatusDot({ status }: { status: Conversation['status'] }) {
  if (status === 'idle') return null
  const waits = status === 'waiting_approval'
  const label = waits ? 'Waits for your approval' : 'Answering'
  return (
    <Tooltip label={label}>
      <Indicator
        inline
        color={waits ? 'yellow' : 'blue'}
        processing={!waits}
        size={8}
        offset={4}
        role="img"
        aria-label={label}
        w={8}
        h={8}
      />
    </Tooltip>
  )
}
