import { Button, Tooltip } from '@mantine/core'
import { IconBell, IconBellOff } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'

/** Stored per browser, not per account, because a phone and a desktop may differ. */
const key = 'hearthd.notify'
const listeners = new Set<() => void>()

type NotifyState = 'on' | 'off' | 'blocked' | 'unsupported'

function notifyState(): NotifyState {
  // Missing on addresses that are neither https nor this machine, and in some mobile browsers.
  if (!('Notification' in globalThis)) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' && localStorage.getItem(key) === 'on' ? 'on' : 'off'
}

function watchNotify(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function setNotify(on: boolean): Promise<void> {
  if (on) await Notification.requestPermission()
  localStorage.setItem(key, on ? 'on' : 'off')
  for (const listener of listeners) listener()
}

interface Notice {
  title: string
  body: string
  /** A later notification with the same tag replaces this one, even from another browser tab. */
  tag: string
  open: () => void
}

/** Shows a notification of the browser if the person turned them on. */
export function notify({ title, body, tag, open }: Notice): void {
  if (notifyState() !== 'on') return
  try {
    const shown = new Notification(title, { body, tag, icon: '/favicon.svg' })
    shown.onclick = () => {
      window.focus()
      open()
      shown.close()
    }
  } catch {
    // Chrome on Android has the class but allows only service workers to use it.
  }
}

const labels = {
  on: { label: 'Notifications are on', hint: 'Click to turn them off in this browser' },
  off: { label: 'Notify me', hint: 'Notifies you of approvals and finished answers in other tabs' },
  blocked: { label: 'Notifications blocked', hint: 'Allow them for this address in the browser settings' },
  unsupported: {
    label: 'Notifications unavailable',
    hint: 'Browsers allow them only over https or on this machine',
  },
} as const

/** The browser asks for permission only after a click on this button. */
export function NotifyButton() {
  const state = useSyncExternalStore(watchNotify, notifyState)
  const { label, hint } = labels[state]
  const fixed = state === 'blocked' || state === 'unsupported'
  return (
    <Tooltip label={hint}>
      <Button
        variant={state === 'on' ? 'light' : 'default'}
        size="xs"
        leftSection={fixed ? <IconBellOff size={16} /> : <IconBell size={16} />}
        aria-pressed={state === 'on'}
        aria-disabled={fixed}
        onClick={() => !fixed && void setNotify(state !== 'on')}
      >
        {label}
      </Button>
    </Tooltip>
  )
}
