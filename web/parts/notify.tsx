import { Button, Tooltip } from '@mantine/core'
import { IconBell, IconBellOff } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { Api } from '../api/client.ts'
import { useRefresh } from '../api/query.ts'
import { signedInUser } from '../api/session.ts'
import { useApi } from '../app/services.tsx'
import { announceError } from './announce.ts'

/**
 * `on` or the id of the subscription to Web Push, and the user whom it is for: a browser notifies one person. Stored per
 * browser, not per account, because a phone and a desktop may differ.
 */
const key = 'hearthd.notify'
const listeners = new Set<() => void>()

type NotifyState = 'on' | 'off' | 'blocked' | 'unsupported'

/** The id of this browser among those that are notified by Web Push; `on` without a push service; `off`. */
export function notifiedId(): string {
  const [id = 'off', user] = localStorage.getItem(key)?.split(' ') ?? []
  return user === signedInUser() ? id : 'off'
}

function notifyState(): NotifyState {
  // Missing on addresses that are neither https nor this machine, and in some mobile browsers.
  if (!('Notification' in globalThis)) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' && notifiedId() !== 'off' ? 'on' : 'off'
}

function watchNotify(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Turns notifications of this browser on or off: those of open pages, and those that the daemon pushes. */
async function setNotify(api: Api, on: boolean): Promise<void> {
  const allowed = on && (await Notification.requestPermission()) === 'granted'
  const { subscribe, unsubscribe } = await import('../app/subscription.ts')
  const id = notifiedId()
  if (allowed) localStorage.setItem(key, `${(await subscribe(api)) ?? 'on'} ${signedInUser()}`)
  else {
    if (id.startsWith('push_')) await unsubscribe(api, id)
    localStorage.removeItem(key)
  }
  for (const listener of listeners) listener()
}

/** Ends the notifications of a person who was signed in before: the next one must not see them. */
export async function endOfOthers({ pushManager }: ServiceWorkerRegistration): Promise<void> {
  if (notifiedId() !== 'off') return
  localStorage.removeItem(key)
  await (await pushManager?.getSubscription())?.unsubscribe()
}

/** Ends notifications and the offline pages of this browser, when the person signs out. */
export async function endInBrowser(api: Api): Promise<void> {
  if (notifyState() === 'on') await setNotify(api, false)
  if ('serviceWorker' in navigator) await (await import('../app/subscription.ts')).removeWorker()
}

interface Notice {
  title: string
  body: string
  /** A later notification with the same tag replaces this one, even from another browser tab or from the daemon. */
  tag: string
  href: string
}

/** Shows a notification of the browser if the person turned them on. */
export async function notify({ title, href, ...options }: Notice): Promise<void> {
  if (notifyState() !== 'on') return
  const icon = '/favicon.svg'
  // Chrome on Android has the class but allows only service workers to use it.
  const worker = await navigator.serviceWorker?.getRegistration('/').catch(() => undefined)
  if (worker?.active) return worker.showNotification(title, { ...options, data: href, icon })
  const shown = new Notification(title, { ...options, icon })
  shown.onclick = () => {
    window.focus()
    navigate(href)
    shown.close()
  }
}

const labels = {
  on: { label: 'Notifications are on', hint: 'Click to turn them off in this browser' },
  off: { label: 'Notify me', hint: 'Notifies you of approvals, failures and reminders, also while hearthd is closed' },
  blocked: { label: 'Notifications blocked', hint: 'Allow them for this address in the browser settings' },
  unsupported: {
    label: 'Notifications unavailable',
    hint: 'Browsers allow them only over https or on this machine',
  },
} as const

/** The browser asks for permission only after a click on this button. */
export function NotifyButton() {
  const api = useApi()
  const refresh = useRefresh()
  const state = useSyncExternalStore(watchNotify, notifyState)
  const change = () =>
    setNotify(api, state !== 'on')
      .then(() => refresh('/api/notifications/browsers'))
      .catch(announceError)
  const { label, hint } = labels[state]
  const fixed = state === 'blocked' || state === 'unsupported'
  return (
    <Tooltip label={hint}>
      <Button
        variant={state === 'on' ? 'light' : 'default'}
        size="xs"
        flex="none"
        leftSection={fixed ? <IconBellOff size={16} /> : <IconBell size={16} />}
        aria-pressed={state === 'on'}
        aria-disabled={fixed}
        onClick={() => !fixed && void change()}
      >
        {label}
      </Button>
    </Tooltip>
  )
}
