import type { Migration } from './migration.ts'

export const memoryCare: Migration = {
  version: 15,
  name: 'memory care',
  statements: [
    // How often an episode stood in a prompt, and whether the answer rested on it.
    `CREATE TABLE episode_recalls (
      episode_id TEXT PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
      recalled INTEGER NOT NULL,
      used INTEGER NOT NULL,
      ignored INTEGER NOT NULL,
      last_recalled_at TEXT
    ) STRICT, WITHOUT ROWID`,
    // The same, by answer.
    `CREATE TABLE turn_recalls (
      message_id TEXT NOT NULL,
      episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
      score REAL NOT NULL,
      used INTEGER NOT NULL,
      recalled_at TEXT NOT NULL,
      PRIMARY KEY (message_id, episode_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX turn_recalls_of ON turn_recalls (episode_id)`,
    `CREATE INDEX turn_recalls_old ON turn_recalls (recalled_at)`,
    // Earlier states of an episode, also of one that is gone. body: the episode as JSON, with its reply and position.
    `CREATE TABLE episode_versions (
      episode_id TEXT NOT NULL,
      version INTEGER NOT NULL,
      change TEXT NOT NULL,
      changed_by TEXT NOT NULL,
      changed_at TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (episode_id, version)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX episode_versions_old ON episode_versions (changed_at)`,
  ],
}
