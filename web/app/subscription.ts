import type { Api } from '../api/client.ts'
import { browserName } from '../device/about.ts'

const registration = async () => navigator.serviceWorker?.getRegistration('/')

/** Lets the daemon notify this browser while no page is open. Returns the id of the subscription; null without a push service. */
export async function subscribe(api: Api): Promise<string | null> {
  const { public_key } = await api.get('/api/notifications/push-key')
  const worker = await navigator.serviceWorker?.register('/worker.js').catch(() => undefined)
  if (!worker?.pushManager || !public_key) return null
  await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey: public_key }
  const { endpoint, keys } = (await worker.pushManager.subscribe(options).catch(() => null))?.toJSON() ?? {}
  const { p256dh, auth } = keys ?? {}
  if (!endpoint || !p256dh || !auth) return null
  const body = { name: browserName, subscription: { endpoint, keys: { p256dh, auth } } }
  return (await api.post('/api/notifications/browsers', { body })).id
}

/** Ends what `subscribe` has begun. */
export async function unsubscribe(api: Api, id: string): Promise<void> {
  await (await (await registration())?.pushManager?.getSubscription())?.unsubscribe()
  await api.delete('/api/notifications/browsers/{id}', { params: { id } }).catch(() => undefined)
}

/** Removes the service worker and what it keeps, when the person signs out. */
export async function removeWorker(): Promise<void> {
  await (await registration())?.unregister()
  for (const name of await caches.keys()) await caches.delete(name)
}
