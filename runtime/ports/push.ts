/** The identity of this daemon towards push services (VAPID, RFC 8292), in base64url. */
export interface PushKeys {
  public_key: string
  private_key: string
}

/** Where a browser receives pushed messages (RFC 8030), and the keys that encrypt them for it. */
export interface PushTarget {
  endpoint: string
  keys: { p256dh: string; auth: string }
}

export interface PushMessage {
  payload: string
  /** How long the push service keeps it for a browser that is offline. */
  ttl_seconds: number
  /** How the push service can reach the operator: a `mailto:` or `https:` address. */
  subject: string
}

export interface PushRequest {
  url: string
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>
}

/** Builds encrypted requests for the push services of browsers (RFC 8291). It sends nothing. */
export interface Push {
  generateKeys(): Promise<PushKeys>
  /** Rejects if the keys of the target are not valid. */
  request(target: PushTarget, message: PushMessage, keys: PushKeys): Promise<PushRequest>
}
