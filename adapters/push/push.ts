import type { Push } from '../../runtime/ports/push.ts'

/** Loaded when the first message is sent. */
const load = async () => (await import('web-push')).default

/** Web Push with the package web-push, which builds the request; the caller sends it. */
export const push: Push = {
  async generateKeys() {
    const { publicKey, privateKey } = (await load()).generateVAPIDKeys()
    return { public_key: publicKey, private_key: privateKey }
  },

  async request(target, { payload, ttl_seconds, urgency, subject }, { public_key, private_key }) {
    const { endpoint, headers, body } = (await load()).generateRequestDetails(target, payload, {
      vapidDetails: { subject, publicKey: public_key, privateKey: private_key },
      TTL: ttl_seconds,
      urgency,
      contentEncoding: 'aes128gcm',
    })
    const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
    // The HTTP client sets the content length.
    const sent = Object.fromEntries(entries.filter(([name]) => name !== 'content-length'))
    return { url: endpoint, headers: sent, body: new Uint8Array(body ?? []) }
  },
}
