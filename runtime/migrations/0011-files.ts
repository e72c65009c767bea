import type { Migration } from './migration.ts'

export const files: Migration = {
  version: 11,
  name: 'files',
  statements: [
    `CREATE TABLE files (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      -- For searching: the store folds ASCII letters only.
      name_lower TEXT NOT NULL,
      mime_type TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      purpose TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX files_content ON files (sha256, size_bytes)`,
    `CREATE INDEX files_purpose ON files (purpose, id)`,
  ],
}
