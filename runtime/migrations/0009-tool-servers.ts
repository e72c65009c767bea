import type { Migration } from './migration.ts'

export const toolServers: Migration = {
  version: 9,
  name: 'tool servers',
  statements: [
    `CREATE TABLE skills (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      description TEXT NOT NULL,
      content TEXT NOT NULL,
      enabled INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE builtin_skills (
      name TEXT PRIMARY KEY,
      enabled INTEGER NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE tool_servers (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE,
      transport TEXT NOT NULL,
      command TEXT,
      args TEXT NOT NULL,
      url TEXT,
      sealed_env TEXT,
      env_names TEXT NOT NULL,
      sealed_headers TEXT,
      header_names TEXT NOT NULL,
      enabled INTEGER NOT NULL,
      tool_allow TEXT NOT NULL,
      timeout_seconds INTEGER NOT NULL,
      catalog_id TEXT,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE approved_tools (
      server_id TEXT NOT NULL REFERENCES tool_servers (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      hash TEXT NOT NULL,
      tool TEXT NOT NULL,
      approved_at TEXT NOT NULL,
      approved_by TEXT NOT NULL,
      PRIMARY KEY (server_id, name)
    ) STRICT`,
  ],
}
