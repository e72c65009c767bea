import type { Migration } from './migration.ts'

export const agents: Migration = {
  version: 5,
  name: 'agents',
  statements: [
    // config holds the members of the agent that nothing is searched by.
    `CREATE TABLE agents (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      enabled INTEGER NOT NULL,
      is_default INTEGER NOT NULL,
      config TEXT NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX agents_default ON agents (is_default) WHERE is_default = 1`,
  ],
}
