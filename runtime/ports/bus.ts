/** One message on a topic. `seq` grows by one per topic, so a subscriber can name the last one it received. */
export interface Frame {
  seq: number
  type: string
  /** ISO 8601, UTC. */
  ts: string
  data: unknown
  /** Whose frame it is; null or absent if everyone may see it. */
  owner_id?: string | null
  /** Set if another process has committed it, and handles what follows from it once. */
  foreign?: boolean
}

export type FrameListener = (frame: Frame) => void

export interface Subscription {
  /** False if frames after `since` have already left the buffer; the subscriber must then reload its state. */
  complete: boolean
  close(): void
}

/** Live delivery inside one host. Not durable: important data is committed first. */
export interface Bus {
  /** Delivers to every subscriber of `topic` at once. `seq` is set if the outbox has already numbered the event. */
  publish(topic: string, message: Omit<Frame, 'seq'> & { seq?: number }): Frame
  /** Replays the buffered frames after `since` (none if undefined), then delivers new ones. */
  subscribe(topic: string, listener: FrameListener, since?: number): Subscription
  /** Drops the buffer of a topic that has ended. */
  drop(topic: string): void
}
