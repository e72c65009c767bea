/** Runs a command. `show` adds a message to the page. */
export type Action = (params: Record<string, unknown>, signal: AbortSignal, show: Show) => Promise<unknown>
export type Show = (message: { title: string; body?: string; href?: string }) => void

const needsSecure = 'Requires HTTPS (SERVICE_TLS=auto) or localhost. Open this page at such an address.'

/** These APIs are missing without HTTPS or localhost, although their types are not optional. */
const { mediaDevices, clipboard } = navigator as Partial<Pick<Navigator, 'mediaDevices' | 'clipboard'>>

/** Why a capability is not available here; null if it is. */
const missing: Record<string, string | null> = {
  camera: mediaDevices ? null : needsSecure,
  location: isSecureContext && 'geolocation' in navigator ? null : needsSecure,
  'clipboard.read': clipboard ? null : needsSecure,
  'clipboard.write': clipboard ? null : needsSecure,
}

/** Capabilities by name, with the reason why one is not offered. */
export const reasons: Record<string, string | null> = {
  notify: null,
  open_url: null,
  health: null,
  approvals: null,
  ...missing,
}

export const capabilities = Object.keys(reasons).filter((name) => reasons[name] === null)

export const titles: Record<string, string> = {
  notify: 'Notifications',
  open_url: 'Open pages',
  health: 'Battery level',
  approvals: 'Approvals',
  camera: 'Camera',
  location: 'Location',
  'clipboard.read': 'Read the clipboard',
  'clipboard.write': 'Write the clipboard',
}

export const actions: Record<string, Action> = {
  async notify({ title, body }, _, show) {
    show({ title: String(title), body: String(body ?? '') })
    const shown = 'Notification' in window && Notification.permission === 'granted'
    if (shown) await notification(String(title), String(body ?? ''))
    return { shown: true, notification: shown }
  },
  async open_url({ url }, _, show) {
    // Browsers open pages only after a user action.
    const { href, protocol } = new URL(String(url))
    if (!/^https?:$/.test(protocol)) throw new Error('Only web pages can be opened')
    show({ title: 'Open this page', body: href, href })
    return { shown: href, opened: false }
  },
  health: async () => measureHealth(),
  'clipboard.read': async () => ({ text: await whileFocused(() => navigator.clipboard.readText()) }),
  async 'clipboard.write'({ text }) {
    await whileFocused(() => navigator.clipboard.writeText(String(text)))
    return { written: true }
  },
  camera: ({ facing }, signal) => takePhoto(String(facing ?? 'environment'), signal),
  location: (_, signal) => locate(signal),
}

async function notification(title: string, body: string): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration('/device')
  if (worker) await worker.showNotification(title, { body, icon: '/favicon.svg' })
  else new Notification(title, { body })
}

async function whileFocused<Result>(use: () => Promise<Result>): Promise<Result> {
  if (!document.hasFocus())
    throw new Error('The device page is not in the foreground, so the browser blocks the clipboard')
  return use()
}

interface Battery {
  level: number
}

/** Milliseconds. Some browsers never answer for a page in the background, and the first frame waits for this. */
const batteryTimeout = 2_000

export async function measureHealth(): Promise<object> {
  const read = (navigator as { getBattery?: () => Promise<Battery> }).getBattery
  const none = new Promise<null>((resolve) => setTimeout(() => resolve(null), batteryTimeout))
  const battery = read ? await Promise.race([read.call(navigator).catch(() => null), none]) : null
  return { battery_pct: battery ? Math.round(battery.level * 100) : null }
}

const longest = 1_280

async function takePhoto(facing: string, signal: AbortSignal): Promise<unknown> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: facing }, audio: false })
  try {
    const video = document.createElement('video')
    video.muted = true
    video.playsInline = true
    video.srcObject = stream
    await video.play()
    // The first frames from many cameras are dark.
    await new Promise((resolve) => setTimeout(resolve, 300))
    signal.throwIfAborted()
    const scale = Math.min(1, longest / Math.max(video.videoWidth, video.videoHeight))
    const canvas = document.createElement('canvas')
    canvas.width = Math.round(video.videoWidth * scale)
    canvas.height = Math.round(video.videoHeight * scale)
    canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height)
    const data = canvas.toDataURL('image/jpeg', 0.8)
    const base64 = data.slice(data.indexOf(',') + 1)
    return { mime_type: 'image/jpeg', width: canvas.width, height: canvas.height, base64 }
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}

const locate = (signal: AbortSignal) =>
  new Promise<unknown>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, accuracy, altitude }, timestamp }) =>
        resolve({
          latitude,
          longitude,
          accuracy_m: accuracy,
          altitude_m: altitude,
          at: new Date(timestamp).toISOString(),
        }),
      ({ message }) => reject(new Error(message || 'The browser did not return the location')),
      { enableHighAccuracy: true, maximumAge: 60_000 },
    )
  })
