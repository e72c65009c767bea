import type { Host } from '../host.ts'
import { iso } from '../time.ts'
import type { BrowserStatus } from './schema.ts'

/** What goes on in the browser beside its pages. */
export type Standing = Pick<
  BrowserStatus,
  'har' | 'mocks' | 'dialogs' | 'recording_id' | 'replay_id' | 'screen_recording_id' | 'taken_by'
>

export function standingOf({ browser, process }: Pick<Host, 'browser' | 'process'>): Standing {
  const { har, mocks, dialogs } = browser.status()
  const { recording, replaying, film, hands } = process.browser_live
  return {
    har: har && { ...har, started_at: iso(har.started_at) },
    mocks: mocks.length,
    dialogs: [...dialogs],
    recording_id: recording?.id ?? null,
    replay_id: replaying?.replay_id ?? null,
    screen_recording_id: film?.recording_id ?? null,
    taken_by: hands.name,
  }
}
