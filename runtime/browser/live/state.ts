import type { LiveFilm } from '../recordings/film.ts'
import type { LiveRecording } from '../recordings/record.ts'
import { Hands } from './hands.ts'
import type { LiveView } from './view.ts'

/** What this process does with its browser beside single acts. A restart forgets it. */
export interface BrowserLive {
  recording: LiveRecording | null
  replaying: { replay_id: string; recording_id: string } | null
  film: LiveFilm | null
  view: LiveView | null
  hands: Hands
}

export const newBrowserLive = (): BrowserLive => ({
  recording: null,
  replaying: null,
  film: null,
  view: null,
  hands: new Hands(),
})
