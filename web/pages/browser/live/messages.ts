import type { Action, BrowserStatus, Tab } from '../../../api/browser.ts'

/** What goes on beside the page. */
type Standing = Pick<
  BrowserStatus,
  'har' | 'mocks' | 'dialogs' | 'recording_id' | 'replay_id' | 'screen_recording_id' | 'taken_by'
>

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

/** One act as it was done, by whomever. */
export interface ToldAct {
  tab_id: string
  action: Action
  target: string | null
  by_person: boolean
  at: string
  duration_ms: number
  url: string | null
  failure: string | null
}

export interface LoggedAct extends ToldAct {
  key: number
  /** By the clock of this browser, in milliseconds. */
  heard_at: number
}

export type LiveMessage =
  | ({ type: 'state' } & LiveState)
  | ({ type: 'act' } & ToldAct)
  | { type: 'error'; code: string; message: string }

export type LiveInput =
  | {
      type: 'mouse'
      kind: 'move' | 'down' | 'up' | 'wheel'
      x: number
      y: number
      button?: 'left' | 'middle' | 'right'
      delta_x?: number
      delta_y?: number
    }
  | { type: 'key'; kind: 'down' | 'up'; key: string }
  | { type: 'text'; text: string }

/** Acts that are kept for the log. */
const mostActs = 200

/** The newest first. What a person writes or scrolls comes piecemeal and is one act. */
export function logged(before: readonly LoggedAct[], act: ToldAct, heard_at: number): LoggedAct[] {
  const [last, ...rest] = before
  const goesOn = last !== undefined && act.by_person && isSame(last, act)
  const key = goesOn ? last.key : (last?.key ?? 0) + 1
  return [{ ...act, key, heard_at }, ...(goesOn ? rest : before)].slice(0, mostActs)
}

const isSame = (last: ToldAct, next: ToldAct) =>
  last.by_person &&
  last.tab_id === next.tab_id &&
  last.target === next.target &&
  last.action.action === next.action.action &&
  /^(?:type_text|scroll)$/.test(next.action.action)
