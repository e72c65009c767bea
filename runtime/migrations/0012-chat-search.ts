import type { Migration } from './migration.ts'

/** An answer is indexed once it has ended, not anew with each of its words. */
const wordsOf = (row: string) => `iif(${row}.status = 'streaming', '', ${row}.content)`

/** Ranges of scripts that put no spaces between words, and of emoji. Each pattern stays below the 50 bytes that some hosts allow. */
const ranges = ['[ぁ-ヿ㐀-䶿一-鿿]', '[ก-๛ກ-ໟက-႟ក-៿]', '[豈-﫿𠀀-𰀀]', '[☀-➿🌀-🫿]']

/**
 * The text of a row when it has such characters, else nothing. The blanks let the last one or two characters begin a
 * piece of three as well.
 */
const piecesOf = (row: string) => {
  const found = ranges.map((range) => `${row}.content GLOB '*${range}*'`).join(' OR ')
  return `iif(${row}.status <> 'streaming' AND (${found}), ${row}.content || '  ', '')`
}

const indexes = [
  { name: 'message_words', textOf: wordsOf },
  { name: 'message_pieces', textOf: piecesOf },
]

const added = indexes.map(
  ({ name, textOf }) => `INSERT INTO ${name} (rowid, content)
    SELECT rowid, ${textOf('new')} FROM message_rows WHERE message_id = new.id;`,
)
const removed = indexes.map(
  ({ name, textOf }) => `INSERT INTO ${name} (${name}, rowid, content)
    SELECT 'delete', rowid, ${textOf('old')} FROM message_rows WHERE message_id = old.id;`,
)

export const chatSearch: Migration = {
  version: 12,
  name: 'chat search',
  statements: [
    // Rows of messages have no number of their own that a copy of the database would keep.
    `CREATE TABLE message_rows (rowid INTEGER PRIMARY KEY, message_id TEXT NOT NULL UNIQUE) STRICT`,
    `CREATE VIEW message_texts AS SELECT message_rows.rowid AS rowid, ${wordsOf('messages')} AS content
      FROM message_rows JOIN messages ON messages.id = message_rows.message_id`,
    `CREATE VIEW message_piece_texts AS SELECT message_rows.rowid AS rowid, ${piecesOf('messages')} AS content
      FROM message_rows JOIN messages ON messages.id = message_rows.message_id`,
    `CREATE VIRTUAL TABLE message_words USING fts5 (content, content='message_texts', content_rowid='rowid',
      tokenize='unicode61 remove_diacritics 2', prefix='2 3')`,
    `CREATE VIRTUAL TABLE message_pieces USING fts5 (content, content='message_piece_texts', content_rowid='rowid',
      tokenize='trigram')`,
    `CREATE VIRTUAL TABLE message_piece_terms USING fts5vocab ('message_pieces', 'instance')`,
    `INSERT INTO message_rows (message_id) SELECT id FROM messages ORDER BY id`,
    `INSERT INTO message_words (message_words) VALUES ('rebuild')`,
    `INSERT INTO message_pieces (message_pieces) VALUES ('rebuild')`,
    `CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
      INSERT INTO message_rows (message_id) VALUES (new.id);
      ${added.join('\n')}
    END`,
    `CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
      ${removed.join('\n')}
      DELETE FROM message_rows WHERE message_id = old.id;
    END`,
    `CREATE TRIGGER message_changed AFTER UPDATE OF content, status ON messages
      WHEN ${wordsOf('old')} <> ${wordsOf('new')} BEGIN
      ${removed.join('\n')}
      ${added.join('\n')}
    END`,
    // Files of a workspace that hold text from outside, so that reading them brings the mark back.
    `CREATE TABLE tainted_files (
      agent_id TEXT NOT NULL,
      path TEXT NOT NULL,
      marked_at TEXT NOT NULL,
      PRIMARY KEY (agent_id, path)
    ) STRICT`,
    // Why a unit that another process runs is to end; that process looks with each renewal of its leases.
    `ALTER TABLE work ADD COLUMN stop_requested TEXT`,
  ],
}
