/** One message on a topic. `seq` grows by one per topic, so a subscriber can name the last that it saw. */
export interface Frame {
  seq: number
  type: string
  /** ISO 8601, UTC. */
  ts: string
  data: unknown
}

export type FrameListener = (frame: Frame) => void

export interface Subscription {
  /** False when frames after `since` have already left the ring: the subscriber must read afresh. */
  complete: boolean
  close(): void
}

/** Live delivery inside one host. Nothing durable passes only here: what matters is committed first. */
export interface Bus {
  /** Tells every subscriber of `topic` now. `seq` is given when the outbox has numbered the event already. */
  publish(topic: string, message: { type: string; data: unknown; ts: string; seq?: number }): Frame
  /** Replays what the ring holds after `since` (nothing when undefined), then follows. */
  subscribe(topic: string, listener: FrameListener, since?: number): Subscription
  /** Forgets the ring of a topic that has ended. */
  drop(topic: string): void
}
