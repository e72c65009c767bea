import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import type { PushKeys, PushMessage, PushTarget } from '../ports/push.ts'
import type { Statement } from '../ports/sql.ts'
import { day, second } from '../time.ts'
import { within } from '../within.ts'
import { findPushKeys, insertPushKeys, type StoredDevice, type StoredPushKeys } from './device-store.ts'
import { pushPurpose } from './purposes.ts'

const subject = 'mailto:push@hearthd.invalid'
const timeout = 15 * second

export interface Notice {
  title: string
  body: string
  /** The page of the web UI that it opens. Default: the page that subscribed. */
  href?: string
  /** A later notice with the same tag replaces this one. */
  tag?: string
}

/** `expired`: deletes a subscription that its push service no longer knows. */
export interface Subscriber {
  id: string
  push: PushTarget | null
  expired: Statement
}

/** The daemon's VAPID keys, created once; null on a host without Web Push. */
async function storedKeys(context: Context): Promise<StoredPushKeys | null> {
  const keys = await findPushKeys(context)
  if (keys) return keys
  try {
    const { public_key, private_key } = await context.push.generateKeys()
    const sealed_private_key = await context.secrets.seal(private_key, pushPurpose)
    await context.commit([insertPushKeys({ public_key, sealed_private_key })])
  } catch (thrown) {
    if (thrown instanceof Fault) return null
    throw thrown
  }
  return storedKeys(context)
}

async function pushKeys(context: Context): Promise<PushKeys | null> {
  const stored = await storedKeys(context)
  return (
    stored && {
      public_key: stored.public_key,
      private_key: await context.secrets.open(stored.sealed_private_key, pushPurpose),
    }
  )
}

/** The key with which a browser subscribes; null for other devices and on hosts without Web Push. */
export async function pushPublicKey(
  context: Context,
  platform: StoredDevice['platform'] = 'browser',
): Promise<string | null> {
  if (!['browser', 'android', 'ios'].includes(platform)) return null
  return (await storedKeys(context))?.public_key ?? null
}

/**
 * Sends a notification to a browser's push service. Returns null, or why it failed; an expired subscription is
 * deleted.
 */
export async function pushNotice(
  context: Context,
  { id, push, expired }: Subscriber,
  notice: Notice,
  delivery: Partial<PushMessage> = {},
): Promise<string | null> {
  try {
    const keys = push && (await pushKeys(context))
    if (!push || !keys) return 'The device cannot receive notifications while it is disconnected'
    const payload = JSON.stringify(context.process.redaction.value(notice))
    const message = { payload, subject, ttl_seconds: day / second, urgency: 'normal' as const, ...delivery }
    const { url, headers, body } = await context.push.request(push, message, keys)
    const response = await within(context, { milliseconds: timeout }, (signal) =>
      context.outbound.fetch(url, { method: 'POST', headers, body, signal }, { max_redirects: 0 }),
    )
    await response.body?.cancel()
    if (response.status === 404 || response.status === 410) await context.commit([expired])
    return response.ok ? null : `The push service returned ${response.status}`
  } catch (thrown) {
    context.log.write('info', 'cannot push a notification', { subscriber: id, cause: String(thrown) })
    return 'The push service cannot be reached'
  }
}
