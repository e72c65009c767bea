import { z } from 'zod'
import { Action, ActionName, ElementTrace } from '../../tabs/schema.ts'

/** One act. Text typed into a secret field is a variable, such as `{{password}}`. */
export const RecordedStep = z.object({
  action: Action,
  element: ElementTrace.nullable(),
  drop: ElementTrace.nullable(),
  /** The address afterwards. */
  url: z.string().nullable(),
  /** Milliseconds since the start of the recording. */
  at_ms: z.number(),
  duration_ms: z.number(),
})
export type RecordedStep = z.output<typeof RecordedStep>

export const Recording = z.object({
  recording_id: z.string(),
  name: z.string(),
  status: z.enum(['recording', 'finished']),
  /** The page open at the start. */
  start_url: z.string().nullable(),
  duration_seconds: z.number(),
  action_count: z.int(),
  /** Relative to the folder of files; null while it runs. */
  file_path: z.string().nullable(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
})
export type Recording = z.output<typeof Recording>

export const RecordingDetail = Recording.extend({
  /** Variables that a replay needs. */
  variables: z.array(z.string()),
  steps: z.array(RecordedStep),
})
export type RecordingDetail = z.output<typeof RecordingDetail>

export const RecordingResult = RecordingDetail.pick({
  recording_id: true,
  name: true,
  duration_seconds: true,
  action_count: true,
  variables: true,
}).extend({ file_path: z.string() })
export type RecordingResult = z.output<typeof RecordingResult>

export const RecordingName = z.object({ name: z.string().trim().min(1).max(200) })

export const ReplayInput = z.object({
  /** Speed relative to the recording; 0 skips all pauses. */
  speed: z.number().min(0).max(100).default(1),
  variables: z.record(z.string().max(100), z.string().max(100_000)).default({}),
  stop_on_error: z.boolean().default(true),
  /** Seconds to wait for the end; after that the response is 202 and the replay continues. */
  wait_seconds: z.number().min(0).max(60).default(20),
})
export type ReplayInput = z.output<typeof ReplayInput>

export const ReplayStep = z.object({
  index: z.int(),
  action: ActionName,
  status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']),
  /** Such as `role=button[name="Save"]`; null if the step has no element. */
  locator_used: z.string().nullable(),
  duration_ms: z.number().nullable(),
  error: z.string().nullable(),
})
export type ReplayStep = z.output<typeof ReplayStep>

export const Replay = z.object({
  replay_id: z.string(),
  recording_id: z.string(),
  status: z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']),
  speed: z.number(),
  stop_on_error: z.boolean(),
  steps: z.array(ReplayStep),
  error: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
})
export type Replay = z.output<typeof Replay>

export const ScreenRecordingInput = z.object({
  action: z.enum(['start', 'stop']),
  max_seconds: z.int().min(1).max(1_800).default(120),
  format: z.enum(['webm', 'mp4']).default('webm'),
})
export type ScreenRecordingInput = z.output<typeof ScreenRecordingInput>

export const ScreenRecording = z.object({
  recording_id: z.string(),
  status: z.enum(['recording', 'completed', 'failed']),
  /** Relative to the folder of files; null while it runs. */
  file_path: z.string().nullable(),
  duration_seconds: z.number().nullable(),
  format: z.enum(['webm', 'mp4']).nullable(),
  size_bytes: z.int().nullable(),
  /** The replay that was recorded. */
  replay_id: z.string().nullable(),
  /** Why it failed, or has another format than requested. */
  error: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
})
export type ScreenRecording = z.output<typeof ScreenRecording>
