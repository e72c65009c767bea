import { z } from 'zod'
import { Action, ActionName } from '../schema.ts'

const told = z.string().nullable()

/** See `ElementTrace` of the port. */
export const Trace = z.object({
  role: told,
  name: told,
  text: told,
  label: told,
  test_id: told,
  css: z.string(),
  frames: z.array(z.string()),
  row: told.default(null),
  nth: z.number().int().default(0),
  secret: z.boolean().default(false),
})

/** One act as it was done. What was typed into a secret field is a variable, such as `{{password}}`. */
export const RecordedStep = z.object({
  action: Action,
  element: Trace.nullable(),
  drop: Trace.nullable(),
  /** Where it led. */
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
  /** The page that was open at its start. */
  start_url: z.string().nullable(),
  duration_seconds: z.number(),
  action_count: z.number().int(),
  /** Below the folder of files; null while it runs. */
  file_path: z.string().nullable(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
})
export type Recording = z.output<typeof Recording>

export const RecordingDetail = Recording.extend({
  /** What a replay must be given. */
  variables: z.array(z.string()),
  steps: z.array(RecordedStep),
})
export type RecordingDetail = z.output<typeof RecordingDetail>

export const RecordingResult = z.object({
  recording_id: z.string(),
  name: z.string(),
  duration_seconds: z.number(),
  action_count: z.number().int(),
  file_path: z.string(),
  /** What a replay must be given. */
  variables: z.array(z.string()),
})
export type RecordingResult = z.output<typeof RecordingResult>

export const RecordingName = z.object({ name: z.string().trim().min(1).max(200) })

export const ReplayInput = z.object({
  /** How much faster than it was recorded; 0 leaves all pauses out. */
  speed: z.number().min(0).max(100).default(1),
  variables: z.record(z.string().max(100), z.string().max(100_000)).default({}),
  stop_on_error: z.boolean().default(true),
  /** Seconds that the answer waits for the end; a longer replay is answered with 202 and goes on. */
  wait_seconds: z.number().min(0).max(60).default(20),
})
export type ReplayInput = z.output<typeof ReplayInput>

export const ReplayStep = z.object({
  index: z.number().int(),
  action: ActionName,
  status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']),
  /** Such as `role=button[name="Save"]`; null where no element was needed. */
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
  max_seconds: z.number().int().min(1).max(1_800).default(120),
  format: z.enum(['webm', 'mp4']).default('webm'),
})
export type ScreenRecordingInput = z.output<typeof ScreenRecordingInput>

export const ScreenRecording = z.object({
  recording_id: z.string(),
  status: z.enum(['recording', 'completed', 'failed']),
  /** Below the folder of files; null while it runs. */
  file_path: z.string().nullable(),
  duration_seconds: z.number().nullable(),
  format: z.enum(['webm', 'mp4']).nullable(),
  size_bytes: z.number().int().nullable(),
  /** The replay that was filmed. */
  replay_id: z.string().nullable(),
  /** Why it failed, or is not in the format that was asked for. */
  error: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
})
export type ScreenRecording = z.output<typeof ScreenRecording>
