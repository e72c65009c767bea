import type { Migration } from './migration.ts'

export const settings: Migration = {
  version: 3,
  name: 'settings',
  statements: [
    // One row per section (profile, agent, security …) with what differs from its defaults.
    `CREATE TABLE settings (
      section TEXT PRIMARY KEY,
      value TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT`,
  ],
}
