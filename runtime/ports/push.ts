/** The daemon's VAPID key pair (RFC 8292), in base64url. */
export interface PushKeys {
  public_key: string
  private_key: string
}

/** A browser's push endpoint (RFC 8030) and the keys that encrypt messages for it. */
export interface PushTarget {
  endpoint: string
  keys: { p256dh: string; auth: string }
}

export interface PushMessage {
  payload: string
  /** How long the push service keeps the message for an offline browser. */
  ttl_seconds: number
  /** `high`: also a phone that saves power shows it at once. */
  urgency: 'normal' | 'high'
  /** Contact address of the operator for the push service: a `mailto:` or `https:` URL. */
  subject: string
}

export interface PushRequest {
  url: string
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>
}

/** Builds encrypted requests to the push services of browsers (RFC 8291), without sending them. */
export interface Push {
  generateKeys(): Promise<PushKeys>
  /** Rejects if the target's keys are not valid. */
  request(target: PushTarget, message: PushMessage, keys: PushKeys): Promise<PushRequest>
}
