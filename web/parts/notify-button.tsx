import { Button, Tooltip } from '@mantine/core'
import { IconBell, IconBellOff } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { notifyState, setNotify, watchNotify } from './notify.ts'

const labels = {
  on: { label: 'Notifications are on', hint: 'Click to turn them off in this browser' },
  off: { label: 'Notify me', hint: 'Tells you of approvals and finished answers while you look elsewhere' },
  blocked: {
    label: 'Notifications blocked',
    hint: 'Allow them in the settings of your browser for this address',
  },
  unsupported: {
    label: 'No notifications here',
    hint: 'Browsers show them only for https, or on the machine itself',
  },
} as const

/** The browser asks for leave only after a click on this. */
export function NotifyButton() {
  const state = useSyncExternalStore(watchNotify, notifyState)
  const { label, hint } = labels[state]
  const fixed = state === 'blocked' || state === 'unsupported'
  return (
    <Tooltip label={hint}>
      <Button
        variant={state === 'on' ? 'light' : 'default'}
        size="xs"
        leftSection={state === 'on' || state === 'off' ? <IconBell size={16} /> : <IconBellOff size={16} />}
        aria-pressed={state === 'on'}
        aria-disabled={fixed}
        onClick={() => !fixed && void setNotify(state !== 'on')}
      >
        {label}
      </Button>
    </Tooltip>
  )
}
