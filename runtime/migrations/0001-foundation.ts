import type { Migration } from './migration.ts'

/** What every area stands on: the outbox of events, the queue of work, remembered idempotency keys. */
export const foundation: Migration = {
  version: 1,
  name: 'foundation',
  statements: [
    `CREATE TABLE events (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL,
      type TEXT NOT NULL,
      ts TEXT NOT NULL,
      data TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX events_age ON events (ts)`,
    `CREATE TABLE work (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      lane TEXT,
      payload TEXT NOT NULL,
      status TEXT NOT NULL,
      due_at TEXT NOT NULL,
      attempt INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      started_at TEXT,
      finished_at TEXT,
      outcome TEXT,
      lease_owner TEXT,
      lease_until TEXT
    ) STRICT`,
    `CREATE INDEX work_due ON work (status, due_at, kind)`,
    `CREATE INDEX work_lane ON work (lane, status) WHERE lane IS NOT NULL`,
    `CREATE INDEX work_subject ON work (kind, subject, status)`,
    `CREATE INDEX work_finished ON work (finished_at) WHERE finished_at IS NOT NULL`,
    `CREATE TABLE idempotency (
      slot TEXT PRIMARY KEY,
      fingerprint TEXT NOT NULL,
      created_at TEXT NOT NULL,
      status INTEGER,
      response TEXT
    ) STRICT`,
    `CREATE INDEX idempotency_age ON idempotency (created_at)`,
  ],
}
