import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import type { Replay, ScreenRecording } from './schema.ts'

type Sql = Pick<Host, 'sql'>

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

export async function findReplay({ sql }: Sql, id: string): Promise<Replay | null> {
  const [row] = await sql.read<ReplayRow>(`SELECT ${replayColumns} FROM browser_replays WHERE id = ?`, [id])
  return row ? toReplay(row) : null
}

/** The latest of a recording, the newest first. */
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

export const insertVideo = (video: ScreenRecording): Statement => ({
  sql: `INSERT INTO browser_videos (id, replay_id, status, created_at) VALUES (?, ?, ?, ?)`,
  args: [video.recording_id, video.replay_id, video.status, video.created_at],
})

export const finishVideo = (video: ScreenRecording): Statement => ({
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

/** What a stop of the daemon has cut: nothing of it is left. A replay that waits has its film still to come. */
export const failCutVideos = (except: string | null, at: string): Statement => ({
  sql: `UPDATE browser_videos SET status = 'failed', error = 'The daemon was stopped', finished_at = ?
    WHERE status = 'recording' AND id IS NOT ? AND (replay_id IS NULL OR replay_id NOT IN
      (SELECT id FROM browser_replays WHERE status IN ('queued', 'running')))`,
  args: [at, except],
})

export const deleteVideo = (id: string): Statement => ({
  sql: 'DELETE FROM browser_videos WHERE id = ?',
  args: [id],
})

export async function findVideo({ sql }: Sql, id: string): Promise<ScreenRecording | null> {
  const [row] = await sql.read<ScreenRecording>(`SELECT ${videoColumns} FROM browser_videos WHERE id = ?`, [
    id,
  ])
  return row ?? null
}

export async function listVideos({ sql }: Sql, limit: number): Promise<ScreenRecording[]> {
  return sql.read<ScreenRecording>(`SELECT ${videoColumns} FROM browser_videos ORDER BY id DESC LIMIT ?`, [
    limit,
  ])
}
