import type { Migration } from './migration.ts'

export const browserRecordings: Migration = {
  version: 20,
  name: 'browser recordings',
  statements: [
    `CREATE TABLE browser_recordings (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      status TEXT NOT NULL,
      start_url TEXT,
      action_count INTEGER NOT NULL,
      duration_seconds REAL NOT NULL,
      file_path TEXT,
      started_at TEXT NOT NULL,
      finished_at TEXT
    ) STRICT`,
    `CREATE UNIQUE INDEX browser_recordings_open ON browser_recordings (status) WHERE status = 'recording'`,
    // step is JSON: the act, how its element is found again, and when it was.
    `CREATE TABLE browser_recording_steps (
      recording_id TEXT NOT NULL REFERENCES browser_recordings (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      step TEXT NOT NULL,
      PRIMARY KEY (recording_id, position)
    ) STRICT`,
    // steps is JSON: the outcome of each.
    `CREATE TABLE browser_replays (
      id TEXT PRIMARY KEY,
      recording_id TEXT NOT NULL REFERENCES browser_recordings (id) ON DELETE CASCADE,
      status TEXT NOT NULL,
      speed REAL NOT NULL,
      stop_on_error INTEGER NOT NULL,
      steps TEXT NOT NULL,
      error TEXT,
      created_at TEXT NOT NULL,
      finished_at TEXT
    ) STRICT`,
    `CREATE INDEX browser_replays_of ON browser_replays (recording_id, id)`,
    `CREATE TABLE browser_videos (
      id TEXT PRIMARY KEY,
      replay_id TEXT,
      status TEXT NOT NULL,
      format TEXT,
      file_path TEXT,
      size_bytes INTEGER,
      duration_seconds REAL,
      error TEXT,
      created_at TEXT NOT NULL,
      finished_at TEXT
    ) STRICT`,
  ],
}
