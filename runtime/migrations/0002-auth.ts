import type { Migration } from './migration.ts'

export const auth: Migration = {
  version: 2,
  name: 'auth',
  statements: [
    `CREATE TABLE users (
      id TEXT PRIMARY KEY,
      username TEXT NOT NULL UNIQUE COLLATE NOCASE,
      role TEXT NOT NULL,
      display_name TEXT NOT NULL,
      password_hash TEXT NOT NULL,
      created_at TEXT NOT NULL,
      last_login_at TEXT
    ) STRICT`,
    // lookup holds the first 8 hex digits of the hash: enough to find the row, too little to help a timing attack.
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      description TEXT NOT NULL,
      lookup TEXT NOT NULL,
      hash TEXT NOT NULL UNIQUE,
      prefix TEXT NOT NULL,
      scopes TEXT NOT NULL,
      created_at TEXT NOT NULL,
      rotated_at TEXT,
      last_used_at TEXT,
      expires_at TEXT
    ) STRICT`,
    `CREATE INDEX api_keys_lookup ON api_keys (lookup)`,
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      lookup TEXT NOT NULL,
      hash TEXT NOT NULL UNIQUE,
      created_at TEXT NOT NULL,
      expires_at TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX sessions_lookup ON sessions (lookup)`,
    `CREATE INDEX sessions_expiry ON sessions (expires_at)`,
    // One row per open ticket: the credential that asked for it, and the hash of the ticket.
    `CREATE TABLE ws_tickets (
      hash TEXT PRIMARY KEY,
      credential_id TEXT NOT NULL,
      expires_at TEXT NOT NULL
    ) STRICT`,
    // The row with id 1 exists from the first key on and makes the end of bootstrap mode a single-winner change.
    `CREATE TABLE bootstrap (id INTEGER PRIMARY KEY CHECK (id = 1), ended_at TEXT NOT NULL) STRICT`,
    `CREATE TABLE audit (
      id TEXT PRIMARY KEY,
      at TEXT NOT NULL,
      actor TEXT NOT NULL,
      action TEXT NOT NULL,
      target TEXT NOT NULL,
      ip TEXT NOT NULL,
      request_id TEXT NOT NULL,
      outcome TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX audit_at ON audit (at)`,
  ],
}
