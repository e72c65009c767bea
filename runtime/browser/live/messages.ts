import type { Action, FailureCode, Tab } from '../schema.ts'
import type { Standing } from '../standing.ts'

/** What the live view says of the browser beside its pictures. */
export interface LiveState extends Standing {
  running: boolean
  url: string | null
  title: string | null
  /** The viewport in CSS pixels; null before the first picture. */
  width: number | null
  height: number | null
  tabs: Tab[]
}

/** An act as those who watch are told of it, by whomever it was done. */
export interface ToldAct {
  tab_id: string
  action: Action
  /** What a person would call the element. */
  target: string | null
  by_person: boolean
  at: string
  duration_ms: number
  url: string | null
  failure: FailureCode | null
}

/** What the live view sends as text. */
export type LiveMessage =
  | ({ type: 'state' } & LiveState)
  | ({ type: 'act' } & ToldAct)
  | { type: 'error'; code: string; message: string }
