import type { Migration } from './migration.ts'

export const browser: Migration = {
  version: 17,
  name: 'browser',
  statements: [
    // origins is JSON; sealed holds the cookies and the local storage.
    `CREATE TABLE browser_auth_states (
      name TEXT PRIMARY KEY,
      cookies INTEGER NOT NULL,
      origins TEXT NOT NULL,
      sealed TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT`,
  ],
}
