import {
  equalConstantTime,
  hmacSha256,
  isRecent,
  toHex,
  toPaddedBase64,
  verifyStandard,
} from '../secrets/signatures.ts'
import type { IncomingAuth } from './incoming.ts'

export interface RawMessage {
  headers: Headers
  /** The body as it was sent. */
  body: Uint8Array
  /** Milliseconds since the epoch. */
  now: number
}

/**
 * Whether the raw bytes of a message are signed with the secret. A missing or empty secret is never valid. The
 * formats follow the senders' documentation; the tests contain their published vectors.
 */
export async function isAuthentic(auth: IncomingAuth, secret: string | null, message: RawMessage): Promise<boolean> {
  if (auth.kind === 'none') return true
  if (secret === null || secret === '') return false
  return verifiers[auth.kind](auth as never, secret, message)
}

type Of<Kind extends IncomingAuth['kind']> = Extract<IncomingAuth, { kind: Kind }>

const verifiers: {
  [Kind in Exclude<IncomingAuth['kind'], 'none'>]: (
    auth: Of<Kind>,
    secret: string,
    message: RawMessage,
  ) => boolean | Promise<boolean>
} = {
  token({ header }, secret, { headers }) {
    const signature = headers.get(header) ?? ''
    return equalConstantTime(signature, header === 'authorization' ? `Bearer ${secret}` : secret)
  },

  async hmac_sha256({ header, prefix, encoding }, secret, { headers, body }) {
    const mac = await hmacSha256(secret, body)
    const expected = `${prefix}${encoding === 'hex' ? toHex(mac) : toPaddedBase64(mac)}`
    return equalConstantTime(headers.get(header) ?? '', expected)
  },

  /** https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries */
  async github(_, secret, { headers, body }) {
    const expected = `sha256=${toHex(await hmacSha256(secret, body))}`
    return equalConstantTime(headers.get('x-hub-signature-256') ?? '', expected)
  },

  /** https://docs.gitlab.com/user/project/integrations/webhooks/ */
  gitlab: (_, secret, { headers }) => equalConstantTime(headers.get('x-gitlab-token') ?? '', secret),

  /** https://docs.stripe.com/webhooks#verify-manually */
  async stripe(_, secret, { headers, body, now }) {
    const parts = onlyHeader(headers, 'stripe-signature').split(',').slice(0, 20)
    const values = (name: string) =>
      parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []))
    const [timestamp = '', ...more] = values('t')
    if (more.length > 0 || !isRecent(timestamp, now)) return false
    const expected = toHex(await hmacSha256(secret, joined(`${timestamp}.`, body)))
    return values('v1').filter((signature) => equalConstantTime(signature, expected)).length > 0
  },

  /** https://docs.slack.dev/authentication/verifying-requests-from-slack */
  async slack(_, secret, { headers, body, now }) {
    const timestamp = headers.get('x-slack-request-timestamp') ?? ''
    if (!isRecent(timestamp, now)) return false
    const expected = `v0=${toHex(await hmacSha256(secret, joined(`v0:${timestamp}:`, body)))}`
    return equalConstantTime(headers.get('x-slack-signature') ?? '', expected)
  },

  standard: (_, secret, message) => verifyStandard(secret, message),
}

/** The value of a header; empty if it was sent twice, so that a sender cannot exploit which one is read. */
function onlyHeader(headers: Headers, name: string): string {
  const value = headers.get(name) ?? ''
  return value.includes(', ') ? '' : value
}

function joined(head: string, body: Uint8Array): Uint8Array {
  const start = new TextEncoder().encode(head)
  const whole = new Uint8Array(start.length + body.length)
  whole.set(start)
  whole.set(body, start.length)
  return whole
}

/** Headers that contain the id of a message. GitLab's `X-Gitlab-Event-UUID` is that of several if one caused the next. */
const idHeaders = ['webhook-id', 'svix-id', 'x-github-delivery', 'idempotency-key']

/** The sender's id of a message, which identifies duplicates; null if it has none. */
export function messageKey({ kind }: IncomingAuth, headers: Headers, body: unknown): string | null {
  const member = kind === 'stripe' ? 'id' : kind === 'slack' ? 'event_id' : null
  const own = member === null ? undefined : (body as Record<string, unknown> | null)?.[member]
  const id = typeof own === 'string' ? own : idHeaders.map((name) => headers.get(name)).find(Boolean)
  return id ? id.slice(0, 200) : null
}
