/** Wishes of this browser: they are not the account's, for a phone and a desk differ. */
const key = 'hearthd.notify'
const listeners = new Set<() => void>()

export type NotifyState = 'on' | 'off' | 'blocked' | 'unsupported'

export function notifyState(): NotifyState {
  // Missing on addresses that are neither https nor this machine, and in some browsers of phones.
  if (!('Notification' in globalThis)) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' && localStorage.getItem(key) === 'on' ? 'on' : 'off'
}

export function watchNotify(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Asks the browser for leave when it has to. Only ever called by a click. */
export async function setNotify(on: boolean): Promise<void> {
  if (on) await Notification.requestPermission()
  localStorage.setItem(key, on ? 'on' : 'off')
  for (const listener of listeners) listener()
}

interface Notice {
  title: string
  body: string
  /** A later notice with the same tag takes the place of this one, also when another tab shows it. */
  tag: string
  open: () => void
}

/** Shows it outside the page, if the person has asked for that. */
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
    // Chrome on Android has the class but lets only service workers use it.
  }
}
