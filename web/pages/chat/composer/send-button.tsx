import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { IconArrowUp, IconChevronUp, IconPlayerStopFilled } from '@tabler/icons-react'
import type { WhenBusy } from '../state/session.ts'
import classes from './composer.module.css'

interface SendButtonProps {
  busy: boolean
  empty: boolean
  send: (whenBusy: WhenBusy) => void
  stop: () => void
}

const ways: Record<WhenBusy, { label: string; hint: string }> = {
  queue: { label: 'Queue', hint: 'Answered when this answer is done' },
  steer: { label: 'Steer', hint: 'The agent reads it at its next step' },
  interrupt: { label: 'Interrupt', hint: 'Stops this answer and takes the new message' },
}

/** Sends; while an answer is made it stops that, or says what a new message is to do with it. */
export function SendButton({ busy, empty, send, stop }: SendButtonProps) {
  return (
    <div className={classes.send}>
      {busy && !empty && (
        <Menu position="top-end" width={260}>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="How to send while an answer is made"
            >
              <IconChevronUp size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {(Object.keys(ways) as WhenBusy[]).map((way) => (
              <Menu.Item key={way} onClick={() => send(way)}>
                {ways[way].label}
                <span className={classes.hint}>{ways[way].hint}</span>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
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
