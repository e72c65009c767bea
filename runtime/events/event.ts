/** What a change says about itself: a noun and a past verb, such as `conversation.created`. */
export interface EventInput {
  type: string
  data: Record<string, unknown>
}

export interface Event extends EventInput {
  id: string
  /** Grows by one per event in this database: the position in the outbox. */
  seq: number
  /** ISO 8601, UTC. */
  ts: string
}

/** The bus topic that carries every committed event. */
export const eventsTopic = 'events'
