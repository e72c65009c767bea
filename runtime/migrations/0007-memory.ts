import type { Migration } from './migration.ts'

export const memory: Migration = {
  version: 7,
  name: 'memory',
  statements: [
    // The long texts stand last, so that a filter reads no overflow pages.
    `CREATE TABLE episodes (
      rowid INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      source TEXT NOT NULL,
      agent_id TEXT,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      valence REAL NOT NULL,
      importance REAL NOT NULL,
      access_count INTEGER NOT NULL,
      trust TEXT NOT NULL,
      conversation_id TEXT,
      position INTEGER,
      provenance TEXT,
      topics TEXT NOT NULL,
      summary TEXT,
      content TEXT NOT NULL,
      reply TEXT NOT NULL DEFAULT ''
    ) STRICT`,
    `CREATE INDEX episodes_recent ON episodes (created_at)`,
    `CREATE INDEX episodes_agent ON episodes (agent_id, created_at)`,
    `CREATE VIRTUAL TABLE episodes_fts USING fts5 (
      content, reply, topics, content='episodes', content_rowid='rowid', tokenize='porter unicode61')`,
    `CREATE TRIGGER episodes_added AFTER INSERT ON episodes BEGIN
      INSERT INTO episodes_fts (rowid, content, reply, topics) VALUES (new.rowid, new.content, new.reply, new.topics);
    END`,
    `CREATE TRIGGER episodes_removed AFTER DELETE ON episodes BEGIN
      INSERT INTO episodes_fts (episodes_fts, rowid, content, reply, topics)
        VALUES ('delete', old.rowid, old.content, old.reply, old.topics);
    END`,
    `CREATE TRIGGER episodes_changed AFTER UPDATE OF content, reply, topics ON episodes BEGIN
      INSERT INTO episodes_fts (episodes_fts, rowid, content, reply, topics)
        VALUES ('delete', old.rowid, old.content, old.reply, old.topics);
      INSERT INTO episodes_fts (rowid, content, reply, topics) VALUES (new.rowid, new.content, new.reply, new.topics);
    END`,
  ],
}
