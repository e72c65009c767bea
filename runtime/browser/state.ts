import type { Host } from '../host.ts'
import { processState } from '../process-state.ts'
import type { TabUser } from '../tabs/holder.ts'
import { iso } from '../time.ts'
import { ControlLock } from './control-lock.ts'
import type { ScreenRecording } from './recordings/schema.ts'
import type { BrowserStatus } from './schema.ts'

/** The recording of this process. */
export interface LiveRecording {
  id: string
  /** Resolves once every step is stored. */
  stop(): Promise<void>
}

/** The screen recording of this process. */
export interface LiveScreenRecording {
  recording_id: string
  owner_id: string
  end(): Promise<ScreenRecording>
}

/** The state of this process's browser beyond single acts. Lost on a restart. */
export interface BrowserLive {
  recording: LiveRecording | null
  replaying: { replay_id: string; recording_id: string } | null
  screen_recording: LiveScreenRecording | null
  control: ControlLock
}

export const browserLive = processState(
  (): BrowserLive => ({
    recording: null,
    replaying: null,
    screen_recording: null,
    control: new ControlLock(),
  }),
)

/** The activity in the browser: HAR, mocks, dialogs, recordings, replays and control. */
export type BrowserActivity = Pick<
  BrowserStatus,
  'har' | 'mocks' | 'dialogs' | 'recording_id' | 'replay_id' | 'screen_recording_id' | 'taken_by'
>

export function activityOf(host: Pick<Host, 'browser' | 'process'>, user: TabUser): BrowserActivity {
  const { har, mocks, dialogs } = host.browser.as(user).status()
  const { recording, replaying, screen_recording, control } = browserLive(host)
  return {
    har: har && { ...har, started_at: iso(har.started_at) },
    mocks: mocks.length,
    dialogs: [...dialogs],
    recording_id: recording?.id ?? null,
    replay_id: replaying?.replay_id ?? null,
    screen_recording_id: screen_recording?.recording_id ?? null,
    taken_by: control.nameFor(user.owner_id),
  }
}
