import { defineArea } from '../area.ts'
import { followBrowser } from './follow.ts'

export const browserArea = defineArea({
  name: 'browser',
  tables: [
    'browser_auth_states',
    'browser_recordings',
    'browser_recording_steps',
    'browser_replays',
    'browser_videos',
  ],
  work: { 'browser.replay': async () => (await import('./recordings/replay-work.ts')).browserReplay },
  start: followBrowser,
})
