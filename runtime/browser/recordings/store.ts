import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import type { Statement } from '../../ports/sql.ts'
import type { RecordedStep, Recording } from './schema.ts'

type Sql = Pick<Host, 'sql'>

const columns = `id AS recording_id, name, status, start_url, duration_seconds, action_count, file_path, started_at, finished_at`

/** Fails while another recording runs. */
export const insertRecording = (recording: Recording): Statement => ({
  sql: `INSERT INTO browser_recordings (id, name, status, start_url, action_count, duration_seconds, started_at)
    SELECT ?, ?, 'recording', ?, 0, 0, ? WHERE NOT EXISTS (SELECT 1 FROM browser_recordings WHERE status = 'recording')`,
  args: [recording.recording_id, recording.name, recording.start_url, recording.started_at],
  guard: 'A recording runs already',
})

/** In the place of the step that has this position. */
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

export async function findRecording({ sql }: Sql, id: string): Promise<Recording | null> {
  const [row] = await sql.read<Recording>(`SELECT ${columns} FROM browser_recordings WHERE id = ?`, [id])
  return row ?? null
}

/** The one that is not finished, also one that a stop of the daemon has cut. */
export async function openRecording({ sql }: Sql): Promise<Recording | null> {
  const [row] = await sql.read<Recording>(
    `SELECT ${columns} FROM browser_recordings WHERE status = 'recording'`,
  )
  return row ?? null
}

export async function listRecordings(
  { sql }: Sql,
  { limit, offset }: Page,
): Promise<{ recordings: Recording[]; total: number }> {
  const [recordings, counted] = await Promise.all([
    sql.read<Recording>(`SELECT ${columns} FROM browser_recordings ORDER BY id DESC LIMIT ? OFFSET ?`, [
      limit,
      offset,
    ]),
    sql.read<{ total: number }>('SELECT count(*) AS total FROM browser_recordings'),
  ])
  return { recordings, total: Number(counted[0]?.total ?? 0) }
}

export async function stepsOf({ sql }: Sql, id: string): Promise<RecordedStep[]> {
  const rows = await sql.read<{ step: string }>(
    'SELECT step FROM browser_recording_steps WHERE recording_id = ? ORDER BY position',
    [id],
  )
  return rows.map(({ step }) => JSON.parse(step) as RecordedStep)
}
