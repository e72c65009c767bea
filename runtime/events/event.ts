import type { z } from 'zod'

/** Event payloads by type. Each area adds its own in its `events.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: areas extend it
export interface EventMap {}

/** Payload types of a map of schemas. */
export type EventsOf<Schemas extends Record<string, z.ZodType>> = {
  [Type in keyof Schemas]: z.output<Schemas[Type]>
}

export type EventType = keyof EventMap

/** An event to commit. Types are a noun and a past participle, such as `conversation.created`. */
export type EventInput<Type extends EventType = EventType> = {
  [One in Type]: {
    type: One
    data: EventMap[One]
    /** Default: the owner whom the caller works for. */
    owner_id?: string
  }
}[Type]

export const event = <Type extends EventType>(type: Type, data: EventMap[Type], owner_id?: string): EventInput<Type> =>
  ({ type, data, ...(owner_id !== undefined && { owner_id }) }) as EventInput<Type>

export type Event<Type extends EventType = EventType> = EventInput<Type> & {
  id: string
  /** Position in the outbox of this database; grows by one per event. */
  seq: number
  /** ISO 8601, UTC. */
  ts: string
}

/** The bus topic that says whether a shared database can be reached: frames of type `store`. */
export const storeTopic = 'store'

/** The bus topic that carries every committed event. */
export const eventsTopic = 'events'
