import { Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { discard, stored, waitingIn, watchOutbox } from '../../app/outbox.ts'
import { useSession } from '../../app/services.tsx'
import { IconButton } from '../../parts/buttons.tsx'
import { Hint } from '../../parts/typography.tsx'

/**
 * The messages of a conversation that are sent when the daemon answers again, and those that it refused. A new chat has
 * these of all conversations, because theirs may be gone.
 */
export function WaitingMessages({ conversation }: { conversation: string | null }) {
  const user = useSession()?.user_id
  const waiting = waitingIn(useSyncExternalStore(watchOutbox, stored)).filter(
    (one) => one.user === user && (one.conversation === conversation || (one.refused && conversation === null)),
  )
  if (waiting.length === 0) return null
  return (
    <ul className="plain" aria-label="Waiting to be sent">
      {waiting.map(({ id, text, refused }) => (
        <li key={id} className="row" style={{ paddingInline: 0 }}>
          <div className="words">
            <Text size="sm" lineClamp={3} className="verbatim">
              {text}
            </Text>
            <Hint>{refused ? `Not sent: ${refused}` : 'Sends when hearthd is back'}</Hint>
          </div>
          <IconButton label={refused ? 'Discard' : 'Do not send'} icon={IconX} onClick={() => discard(id)} />
        </li>
      ))}
    </ul>
  )
}
