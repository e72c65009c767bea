import type { Migration } from './migration.ts'

/** Episodes of one piece of a conversation: see `runtime/memory/retrieval/conversations.ts`. */
const piece = (row: 'new' | 'old') => `coalesce(${row}.position, 0) / 40`

const touchPiece = (row: 'new' | 'old') =>
  `INSERT INTO conversation_pieces (conversation_id, piece, stale)
    SELECT ${row}.conversation_id, ${piece(row)}, 1 WHERE ${row}.conversation_id IS NOT NULL
    ON CONFLICT (conversation_id, piece) DO UPDATE SET stale = 1;`

/** The id of a vector is the row of its episode times 64 plus the part of the text. */
const vectorsOf = (row: 'new' | 'old') => `id BETWEEN ${row}.rowid * 64 AND ${row}.rowid * 64 + 63`

export const memoryVectors: Migration = {
  version: 13,
  name: 'memory vectors',
  statements: [
    `CREATE TABLE episode_vectors (id INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL) STRICT`,
    // What waits for its vectors. A change gives it a new seq, so that a vector of the old text is not kept.
    `CREATE TABLE vectors_pending (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, episode INTEGER NOT NULL UNIQUE) STRICT`,
    // Episodes whose vectors, or what they are filtered by, have changed: the index in memory follows. 0 is all.
    `CREATE TABLE vector_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, episode INTEGER NOT NULL) STRICT`,
    `CREATE TABLE vector_model (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL) STRICT`,
    `CREATE INDEX episodes_conversation ON episodes (conversation_id, position)`,
    `CREATE TABLE conversation_pieces (
      rowid INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL, piece INTEGER NOT NULL, stale INTEGER NOT NULL,
      UNIQUE (conversation_id, piece)) STRICT`,
    `CREATE INDEX conversation_pieces_stale ON conversation_pieces (rowid) WHERE stale = 1`,
    `CREATE VIRTUAL TABLE conversations_fts USING fts5 (
      text, content='', contentless_delete=1, tokenize='porter unicode61')`,
    // Pairs of characters of scripts without spaces, as words; null is not looked at yet.
    `ALTER TABLE episodes ADD COLUMN pairs TEXT`,
    `CREATE INDEX episodes_unpaired ON episodes (id) WHERE pairs IS NULL`,
    `CREATE VIRTUAL TABLE pairs_fts USING fts5 (
      pairs, content='episodes', content_rowid='rowid', tokenize='unicode61')`,
    `CREATE TRIGGER episode_pairs_added AFTER INSERT ON episodes WHEN new.pairs <> '' BEGIN
      INSERT INTO pairs_fts (rowid, pairs) VALUES (new.rowid, new.pairs);
    END`,
    `CREATE TRIGGER episode_pairs_removed AFTER DELETE ON episodes WHEN old.pairs <> '' BEGIN
      INSERT INTO pairs_fts (pairs_fts, rowid, pairs) VALUES ('delete', old.rowid, old.pairs);
    END`,
    `CREATE TRIGGER episode_pairs_changed AFTER UPDATE OF pairs ON episodes BEGIN
      INSERT INTO pairs_fts (pairs_fts, rowid, pairs) SELECT 'delete', old.rowid, old.pairs WHERE old.pairs <> '';
      INSERT INTO pairs_fts (rowid, pairs) SELECT new.rowid, new.pairs WHERE new.pairs <> '';
    END`,
    `CREATE TRIGGER episode_vectors_wanted AFTER INSERT ON episodes BEGIN
      INSERT INTO vectors_pending (episode) VALUES (new.rowid);
      ${touchPiece('new')}
    END`,
    `CREATE TRIGGER episode_vectors_removed AFTER DELETE ON episodes BEGIN
      DELETE FROM episode_vectors WHERE ${vectorsOf('old')};
      DELETE FROM vectors_pending WHERE episode = old.rowid;
      INSERT INTO vector_changes (episode) VALUES (old.rowid);
      ${touchPiece('old')}
    END`,
    `CREATE TRIGGER episode_vectors_outdated AFTER UPDATE OF content, reply ON episodes
    WHEN new.content <> old.content OR new.reply <> old.reply BEGIN
      DELETE FROM episode_vectors WHERE ${vectorsOf('old')};
      DELETE FROM vectors_pending WHERE episode = new.rowid;
      INSERT INTO vectors_pending (episode) VALUES (new.rowid);
      INSERT INTO vector_changes (episode) VALUES (new.rowid);
      ${touchPiece('new')}
    END`,
    `CREATE TRIGGER episode_vectors_refiltered AFTER UPDATE OF agent_id, source, created_at ON episodes
    WHEN new.agent_id IS NOT old.agent_id OR new.source <> old.source OR new.created_at <> old.created_at BEGIN
      INSERT INTO vector_changes (episode) VALUES (new.rowid);
    END`,
    `INSERT INTO vectors_pending (episode) SELECT rowid FROM episodes`,
    `INSERT INTO conversation_pieces (conversation_id, piece, stale)
      SELECT DISTINCT conversation_id, coalesce(position, 0) / 40, 1 FROM episodes WHERE conversation_id IS NOT NULL`,
  ],
}
