import { Loader, Text } from '@mantine/core'
import { IconCalendarTime, IconHandStop, IconMessageCircle } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Conversation } from '../../api/chat.ts'
import { Time } from '../../parts/time.tsx'

export function ConversationRow({ conversation }: { conversation: Conversation }) {
  return (
    <Link href={`/chat/${conversation.id}`} className="row">
      <StatusIcon {...conversation} />
      <Text className="grow" size="sm" truncate>
        {conversation.title || 'Untitled'}
      </Text>
      <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
        <Time at={conversation.last_message_at ?? conversation.created_at} />
      </Text>
    </Link>
  )
}

function StatusIcon({ status, kind }: Pick<Conversation, 'status' | 'kind'>) {
  const color = 'var(--mantine-color-dimmed)'
  if (status === 'running') return <Loader size={16} aria-label="Running" />
  if (status === 'waiting_approval')
    return <IconHandStop size={18} color="var(--mantine-color-yellow-7)" aria-label="Waits for approval" />
  if (kind === 'scheduled') return <IconCalendarTime size={18} color={color} aria-label="Scheduled" />
  return <IconMessageCircle size={18} color={color} aria-hidden />
}
