import { owned } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import type { Statement } from '../../ports/sql.ts'
import type { RetainedSize } from '../../retention.ts'
import { selectPage } from '../../select-page.ts'
import type { RecordedStep, Recording, Replay, ScreenRecording } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

/** Replays run one at a time, because there is only one browser. */
export const replayLane = 'browser.replay'

const columns = `id AS recording_id, name, status, start_url, duration_seconds, action_count, file_path, started_at, finished_at`

/** Fails if another recording is running. */
export const insertRecording = (owner_id: string, recording: Recording): Statement => ({
  sql: `INSERT INTO browser_recordings (id, owner_id, name, status, start_url, action_count, duration_seconds, started_at)
    SELECT ?, ?, ?, 'recording', ?, 0, 0, ? WHERE NOT EXISTS (SELECT 1 FROM browser_recordings WHERE status = 'recording')`,
  args: [recording.recording_id, owner_id, recording.name, recording.start_url, recording.started_at],
  guard: 'A recording is already running',
})

/** Replaces the step with this position. */
export function putStep(id: string, position: number, step: RecordedStep): Statement[] {
  const insert = `INSERT INTO browser_recording_steps (recording_id, position, step) VALUES (?, ?, ?)
    ON CONFLICT (recording_id, position) DO UPDATE SET step = excluded.step`
  const count = `UPDATE browser_recordings SET action_count = max(action_count, ?), duration_seconds = ? WHERE id = ?`
  return [
    { sql: insert, args: [id, position, JSON.stringify(step)] },
    { sql: count, args: [position + 1, (step.at_ms + step.duration_ms) / 1_000, id] },
  ]
}

export const finishRecording = (recording: Recording): Statement => ({
  sql: `UPDATE browser_recordings SET status = 'finished', action_count = ?, duration_seconds = ?, file_path = ?, finished_at = ?
    WHERE id = ? AND status = 'recording'`,
  args: [
    recording.action_count,
    recording.duration_seconds,
    recording.file_path,
    recording.finished_at,
    recording.recording_id,
  ],
  guard: 'This recording has ended',
})

export const renameRecording = (id: string, name: string): Statement => ({
  sql: 'UPDATE browser_recordings SET name = ? WHERE id = ?',
  args: [name, id],
})

export const deleteRecording = (id: string): Statement => ({
  sql: 'DELETE FROM browser_recordings WHERE id = ?',
  args: [id],
})

/** A recording that the caller may see. */
export async function findRecording(context: Reader, id: string): Promise<Recording | null> {
  const own = owned(context)
  const sql = `SELECT ${columns} FROM browser_recordings WHERE id = ? AND ${own.sql}`
  const [row] = await context.sql.read<Recording>(sql, [id, ...own.args])
  return row ?? null
}

/** The unfinished recording, which may have been interrupted by a restart. */
export async function openRecording({ sql }: Sql): Promise<Recording | null> {
  const [row] = await sql.read<Recording>(
    `SELECT ${columns} FROM browser_recordings WHERE status = 'recording'`,
  )
  return row ?? null
}

export async function listRecordings(context: Reader, page: Page) {
  const own = owned(context)
  const select = `SELECT ${columns} FROM browser_recordings WHERE ${own.sql}`
  const { rows: recordings, total } = await selectPage<Recording>(
    context,
    { select, args: own.args, order: 'id DESC' },
    page,
  )
  return { recordings, total }
}

export async function stepsOf({ sql }: Sql, id: string): Promise<RecordedStep[]> {
  const rows = await sql.read<{ step: string }>(
    'SELECT step FROM browser_recording_steps WHERE recording_id = ? ORDER BY position',
    [id],
  )
  return rows.map(({ step }) => JSON.parse(step) as RecordedStep)
}

type ReplayRow = Omit<Replay, 'steps' | 'stop_on_error'> & { steps: string; stop_on_error: number }

export const insertReplay = (replay: Replay): Statement => ({
  sql: `INSERT INTO browser_replays (id, recording_id, status, speed, stop_on_error, steps, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  args: [
    replay.replay_id,
    replay.recording_id,
    replay.status,
    replay.speed,
    Number(replay.stop_on_error),
    JSON.stringify(replay.steps),
    replay.created_at,
  ],
})

export const updateReplay = ({ replay_id, status, steps, error, finished_at }: Replay): Statement => ({
  sql: 'UPDATE browser_replays SET status = ?, steps = ?, error = ?, finished_at = ? WHERE id = ?',
  args: [status, JSON.stringify(steps), error, finished_at, replay_id],
})

const replayColumns = `id AS replay_id, recording_id, status, speed, stop_on_error, steps, error, created_at, finished_at`

/** A replay of a recording that the caller may see. */
export async function findReplay(context: Reader, id: string): Promise<Replay | null> {
  const own = owned(context)
  const [row] = await context.sql.read<ReplayRow>(
    `SELECT ${replayColumns} FROM browser_replays WHERE id = ?
      AND recording_id IN (SELECT id FROM browser_recordings WHERE ${own.sql})`,
    [id, ...own.args],
  )
  return row ? toReplay(row) : null
}

/** The latest replays of a recording, newest first. */
export async function replaysOf({ sql }: Sql, recording_id: string, limit: number): Promise<Replay[]> {
  const query = `SELECT ${replayColumns} FROM browser_replays WHERE recording_id = ? ORDER BY id DESC LIMIT ?`
  return (await sql.read<ReplayRow>(query, [recording_id, limit])).map(toReplay)
}

const toReplay = ({ steps, stop_on_error, ...row }: ReplayRow): Replay => ({
  ...row,
  stop_on_error: Boolean(stop_on_error),
  steps: JSON.parse(steps) as Replay['steps'],
})

const videoColumns = `id AS recording_id, replay_id, status, format, file_path, size_bytes, duration_seconds, error, created_at, finished_at`

export const insertScreenRecording = (owner_id: string, video: ScreenRecording): Statement => ({
  sql: `INSERT INTO browser_videos (id, owner_id, replay_id, status, created_at) VALUES (?, ?, ?, ?, ?)`,
  args: [video.recording_id, owner_id, video.replay_id, video.status, video.created_at],
})

export const finishScreenRecording = (video: ScreenRecording): Statement => ({
  sql: `UPDATE browser_videos SET status = ?, format = ?, file_path = ?, size_bytes = ?, duration_seconds = ?, error = ?, finished_at = ?
    WHERE id = ?`,
  args: [
    video.status,
    video.format,
    video.file_path,
    video.size_bytes,
    video.duration_seconds,
    video.error,
    video.finished_at,
    video.recording_id,
  ],
})

/**
 * Fails the recordings that a restart interrupted, except those of replays that are still queued or running.
 */
export const failInterruptedRecordings = (except: string | null, at: string): Statement => ({
  sql: `UPDATE browser_videos SET status = 'failed', error = 'The daemon was stopped', finished_at = ?
    WHERE status = 'recording' AND id IS NOT ? AND (replay_id IS NULL OR replay_id NOT IN
      (SELECT id FROM browser_replays WHERE status IN ('queued', 'running')))`,
  args: [at, except],
})

export const deleteScreenRecording = (id: string): Statement => ({
  sql: 'DELETE FROM browser_videos WHERE id = ?',
  args: [id],
})

/** A screen recording that the caller may see. */
export async function findScreenRecording(context: Reader, id: string): Promise<ScreenRecording | null> {
  const own = owned(context)
  const sql = `SELECT ${videoColumns} FROM browser_videos WHERE id = ? AND ${own.sql}`
  const [row] = await context.sql.read<ScreenRecording>(sql, [id, ...own.args])
  return row ?? null
}

export async function listScreenRecordingRows(context: Reader, limit: number): Promise<ScreenRecording[]> {
  const own = owned(context)
  return context.sql.read<ScreenRecording>(
    `SELECT ${videoColumns} FROM browser_videos WHERE ${own.sql} ORDER BY id DESC LIMIT ?`,
    [...own.args, limit],
  )
}

const ended = `finished_at IS NOT NULL`

export async function endedVideosSize({ sql }: Sql): Promise<RetainedSize> {
  const query = `SELECT count(*) AS rows, coalesce(sum(size_bytes), 0) AS bytes, min(finished_at) AS oldest_at
    FROM browser_videos WHERE ${ended}`
  return (await sql.read<RetainedSize>(query))[0] ?? { rows: 0, bytes: 0, oldest_at: null }
}

export const videosEndedBefore = ({ sql }: Sql, before: string, limit: number): Promise<ScreenRecording[]> =>
  sql.read<ScreenRecording>(
    `SELECT ${videoColumns} FROM browser_videos WHERE ${ended} AND finished_at < ? ORDER BY id LIMIT ?`,
    [before, limit],
  )
