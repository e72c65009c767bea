import { owned } from '../../auth/owner.ts'
import type { Page } from '../../http/page.ts'
import type { Statement } from '../../ports/sql.ts'
import type { RetainedSize } from '../../retention.ts'
import { sql } from '../../statement.ts'
import { type Reader, type Sql, Table } from '../../table.ts'
import type { RecordedStep, Recording, Replay, ScreenRecording } from './schema.ts'

/** Replays run one at a time, because there is only one browser. */
export const replayLane = 'browser.replay'

const recordings = new Table<Recording, 'owner_id'>('browser_recordings', {
  columns: { recording_id: 'id' },
  hidden: ['owner_id'],
})

/** Fails if another recording is running. */
export const insertRecording = (owner_id: string, recording: Recording): Statement => ({
  ...recordings.insert(
    { ...recording, owner_id, status: 'recording' },
    '',
    sql`NOT EXISTS (SELECT 1 FROM browser_recordings WHERE status = 'recording')`,
  ),
  guard: 'A recording is already running',
})

const steps = new Table<{ recording_id: string; position: number; step: RecordedStep }>('browser_recording_steps', {
  json: ['step'],
})

/** Replaces the step with this position. */
export const putStep = (recording_id: string, position: number, step: RecordedStep): Statement[] => [
  steps.upsert({ recording_id, position, step }, 'recording_id, position'),
  recordings.update(
    {
      action_count: sql`max(action_count, ${position + 1})`,
      duration_seconds: (step.at_ms + step.duration_ms) / 1_000,
    },
    { recording_id },
  ),
]

export function finishRecording(recording: Recording): Statement {
  const { recording_id, action_count, duration_seconds, file_path, finished_at } = recording
  return recordings.update(
    { status: 'finished', action_count, duration_seconds, file_path, finished_at },
    { recording_id, status: 'recording' },
    'This recording has ended',
  )
}

export const renameRecording = (recording_id: string, name: string): Statement =>
  recordings.update({ name }, { recording_id })

export const deleteRecording = (recording_id: string): Statement => recordings.delete({ recording_id })

/** A recording that the caller may see. */
export const findRecording = (context: Reader, recording_id: string) =>
  recordings.find(context, { recording_id }, owned(context))

/** The unfinished recording, which may have been interrupted by a restart. */
export const openRecording = (host: Sql) => recordings.find(host, `status = 'recording'`)

export const listRecordings = (context: Reader, page: Page) => recordings.page(context, page, 'id DESC', owned(context))

export const stepsOf = (host: Sql, recording_id: string): Promise<RecordedStep[]> =>
  steps.values(host, 'step', 'position', { recording_id })

const replays = new Table<Replay>('browser_replays', {
  booleans: ['stop_on_error'],
  json: ['steps'],
  columns: { replay_id: 'id' },
})

export const insertReplay = (replay: Replay): Statement => replays.insert(replay)

export const updateReplay = ({ replay_id, status, steps, error, finished_at }: Replay): Statement =>
  replays.update({ status, steps, error, finished_at }, { replay_id })

/** A replay of a recording that the caller may see. */
export const findReplay = (context: Reader, replay_id: string) =>
  replays.find(context, { replay_id }, sql`recording_id IN (SELECT id FROM browser_recordings WHERE ${owned(context)})`)

/** The latest replays of a recording, newest first. */
export const replaysOf = (host: Sql, recording_id: string, limit: number) =>
  replays.list(host, `id DESC LIMIT ${limit}`, { recording_id })

const videos = new Table<ScreenRecording, 'owner_id'>('browser_videos', {
  columns: { recording_id: 'id' },
  hidden: ['owner_id'],
})

export const insertScreenRecording = (owner_id: string, video: ScreenRecording): Statement =>
  videos.insert({ ...video, owner_id })

export function finishScreenRecording(video: ScreenRecording): Statement {
  const { recording_id, replay_id: _, created_at: _1, ...end } = video
  return videos.update(end, { recording_id })
}

/**
 * Fails the recordings that a restart interrupted, except those of replays that are still queued or running.
 */
export const failInterruptedRecordings = (except: string | null, at: string): Statement => ({
  sql: `UPDATE browser_videos SET status = 'failed', error = 'The daemon was stopped', finished_at = ?
    WHERE status = 'recording' AND id IS NOT ? AND (replay_id IS NULL OR replay_id NOT IN
      (SELECT id FROM browser_replays WHERE status IN ('queued', 'running')))`,
  args: [at, except],
})

export const deleteScreenRecording = (recording_id: string): Statement => videos.delete({ recording_id })

/** A screen recording that the caller may see. */
export const findScreenRecording = (context: Reader, recording_id: string) =>
  videos.find(context, { recording_id }, owned(context))

export const listScreenRecordingRows = (context: Reader, limit: number) =>
  videos.list(context, `id DESC LIMIT ${limit}`, owned(context))

export async function endedVideosSize({ sql }: Sql): Promise<RetainedSize> {
  const query = `SELECT count(*) AS rows, coalesce(sum(size_bytes), 0) AS bytes, min(finished_at) AS oldest_at
    FROM browser_videos WHERE finished_at IS NOT NULL`
  return (await sql.read<RetainedSize>(query))[0] ?? { rows: 0, bytes: 0, oldest_at: null }
}

export const videosEndedBefore = (host: Sql, before: string, limit: number) =>
  videos.list(host, `id LIMIT ${limit}`, sql`finished_at < ${before}`)
