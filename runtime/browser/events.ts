import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'
import { RecordingResult, ReplayStep } from './recordings/schema.ts'

const session = z.object({ name: z.string() })
const recording = z.object({ recording_id: z.string() })
const replay = z.object({
  replay_id: z.string(),
  recording_id: z.string(),
  status: z.string(),
  done: z.int(),
  total: z.int(),
  step: ReplayStep.optional(),
})

export const browserEvents = {
  'browser.opened': z.object({}),
  'browser.closed': z.object({}),
  'browser.crashed': z.object({}),
  'browser.auth_state.saved': session,
  'browser.auth_state.deleted': session,
  'browser.video.started': recording,
  'browser.video.finished': recording.extend({
    status: z.string(),
    file_path: z.string().nullable(),
    duration_seconds: z.number().nullable(),
  }),
  'browser.video.deleted': recording,
  'browser.recording.started': recording.extend({ name: z.string(), start_url: z.string().nullable() }),
  'browser.recording.updated': recording.extend({
    name: z.string().optional(),
    action_count: z.int().optional(),
    action: z.string().optional(),
  }),
  'browser.recording.finished': RecordingResult,
  'browser.recording.deleted': recording,
  'browser.replay.updated': replay,
  'browser.replay.finished': replay,
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof browserEvents> {}
}
