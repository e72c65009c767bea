import { ActionIcon, Tooltip } from '@mantine/core'
import { IconArrowUp, IconPlayerStopFilled } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { WhenBusy } from '../state/session.ts'
import classes from './composer.module.css'
import { WaysButton } from './ways-button.tsx'

interface SendButtonProps {
  busy: boolean
  empty: boolean
  send: (whenBusy: WhenBusy) => void
  stop: () => void
}

/** Only needed by who writes while an answer is made. */
const WaysMenu = lazy(async () => ({ default: (await import('./ways-menu.tsx')).WaysMenu }))

/** Sends; while an answer is made it stops that, or says what a new message is to do with it. */
export function SendButton({ busy, empty, send, stop }: SendButtonProps) {
  return (
    <div className={classes.send}>
      {busy && !empty && <Ways send={send} />}
      {busy && (
        <Tooltip label="Stop the answer">
          <ActionIcon variant="default" size="lg" radius="xl" aria-label="Stop the answer" onClick={stop}>
            <IconPlayerStopFilled size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      {(!busy || !empty) && (
        <Tooltip label={busy ? 'Queue this message' : 'Send'}>
          <ActionIcon
            size="lg"
            radius="xl"
            type="submit"
            disabled={empty}
            aria-label={busy ? 'Queue this message' : 'Send'}
          >
            <IconArrowUp size={18} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  )
}

/** A button until somebody wants what is behind it. */
function Ways({ send }: Pick<SendButtonProps, 'send'>) {
  const [asked, setAsked] = useState(false)
  if (!asked) return <WaysButton aria-haspopup="menu" aria-expanded={false} onClick={() => setAsked(true)} />
  return (
    <Suspense fallback={<WaysButton />}>
      <WaysMenu send={send} />
    </Suspense>
  )
}
