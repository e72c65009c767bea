import { Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { discard, stored, waitingIn, watchOutbox } from '../../app/outbox.ts'
import { useSession } from '../../app/services.tsx'
import { IconButton } from '../../parts/buttons.tsx'
import { Hint } from '../../parts/typography.tsx'

/** The messages of a conversation that are sent when the daemon answers again. */
export function WaitingMessages({ conversation }: { conversation: string | null }) {
  const user = useSession()?.user_id
  const waiting = waitingIn(useSyncExternalStore(watchOutbox, stored)).filter(
    (one) => one.conversation === conversation && one.user === user,
  )
  if (waiting.length === 0) return null
  return (
    <ul className="plain" aria-label="Waiting to be sent">
      {waiting.map(({ id, text }) => (
        <li key={id} className="row" style={{ paddingInline: 0 }}>
          <div className="words">
            <Text size="sm" lineClamp={3} className="verbatim">
              {text}
            </Text>
            <Hint>Sends when hearthd is back</Hint>
          </div>
          <IconButton label="Do not send" icon={IconX} onClick={() => discard(id)} />
        </li>
      ))}
    </ul>
  )
}
