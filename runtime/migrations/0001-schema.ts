/** The text of a message for the index: nothing while the answer is still streaming. */
const wordsOf = (row: string) => `iif(${row}.status = 'streaming', '', ${row}.content)`

/** Scripts without spaces between words, and emoji. Each pattern is shorter than the 50 bytes that some hosts allow. */
const ranges = ['[ぁ-ヿ㐀-䶿一-鿿]', '[ก-๛ກ-ໟက-႟ក-៿]', '[豈-﫿𠀀-𰀀]', '[☀-➿🌀-🫿]']

/** The text of a row that has such characters, else nothing. Two spaces let its last characters start a trigram too. */
const piecesOf = (row: string) => {
  const conditions = ranges.map((range) => `${row}.content GLOB '*${range}*'`).join(' OR ')
  return `iif(${row}.status <> 'streaming' AND (${conditions}), ${row}.content || '  ', '')`
}

const messageIndexes = [
  { name: 'message_words', textOf: wordsOf },
  { name: 'message_pieces', textOf: piecesOf },
]
const added = messageIndexes.map(
  ({ name, textOf }) => `INSERT INTO ${name} (rowid, content)
    SELECT rowid, ${textOf('new')} FROM message_rows WHERE message_id = new.id;`,
)
const removed = messageIndexes.map(
  ({ name, textOf }) => `INSERT INTO ${name} (${name}, rowid, content)
    SELECT 'delete', rowid, ${textOf('old')} FROM message_rows WHERE message_id = old.id;`,
)

/** Marks the piece of a conversation, 40 episodes, whose text must be indexed again. */
const touchPiece = (row: 'new' | 'old') =>
  `INSERT INTO conversation_pieces (owner_id, conversation_id, piece, stale)
    SELECT ${row}.owner_id, ${row}.conversation_id, coalesce(${row}.position, 0) / 40, 1 WHERE ${row}.conversation_id IS NOT NULL
    ON CONFLICT (conversation_id, piece) DO UPDATE SET stale = 1;`

/** The id of a vector is the row of its episode times 64 plus the part of the text. */
const vectorsOf = (row: 'new' | 'old') => `id BETWEEN ${row}.rowid * 64 AND ${row}.rowid * 64 + 63`

/** When a fact ends: as its text says, or when the next fact of the same kind about the same subject begins. */
const ends = `nullif(min(coalesce(relations.ended_at, '~'), coalesce((
    SELECT min(later.valid_at) FROM relations AS later
    WHERE later.source = relations.source AND later.type = relations.type AND later.target <> relations.target
      AND later.external <= relations.external
      AND (later.valid_at, later.rowid) > (relations.valid_at, relations.rowid)), '~')), '~')`

/** Statements of a trigger: of the queued units of a lane, the first one is ready, if none of the lane runs or waits. */
const passTurn = (lane: string) => {
  const first = `(SELECT id FROM work WHERE lane = ${lane} AND status = 'queued' ORDER BY keeps_lane DESC, due_at, id LIMIT 1)`
  const isBusy = `EXISTS (SELECT 1 FROM work WHERE lane = ${lane} AND finished_at IS NULL AND status IN ('running', 'waiting'))`
  return `UPDATE work SET ready = 0 WHERE lane = ${lane} AND status = 'queued' AND ready = 1 AND (${isBusy} OR id <> ${first});
  UPDATE work SET ready = 1 WHERE id = ${first} AND ready = 0 AND NOT ${isBusy};`
}

/** A statement of a trigger: counts an execution in, or out of, those of its status. */
const countOpen = (row: 'old' | 'new', sign: '+' | '-') =>
  `UPDATE workflow_loads SET ${['queued', 'running', 'waiting'].map((status) => `${status} = ${status} ${sign} (${row}.status = '${status}')`).join(', ')}
    WHERE workflow_id = ${row}.workflow_id;`

/** Columns of workflows with values, of which large ones are in `workflow_blobs`. */
const valueColumns = {
  workflow_executions: ['input', 'output'],
  workflow_node_runs: ['input', 'output'],
  workflow_loops: ['items'],
  workflow_loop_results: ['value'],
}

/** Whether a value refers to a large one, and the hash of that. */
const refers = (column: string) => `${column} >= '@' AND ${column} < 'A'`
const hashIn = (column: string) => `substr(${column}, 2, 64)`

/** That no row refers to a large value. Without the plus, SQLite reads all of an index. */
const isReleased = Object.entries(valueColumns)
  .flatMap(([table, columns]) =>
    columns.map(
      (column) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${hashIn(column)} = +sha256 AND ${refers(column)})`,
    ),
  )
  .join('\n    AND ')

/** Large values are deleted with the last row that refers to them. */
const releases = Object.entries(valueColumns).map(([table, columns]) => {
  const old = columns.map((column) => `old.${column}`)
  const indexes = columns.map(
    (column) => `CREATE INDEX ${table}_${column}_blobs ON ${table} (${hashIn(column)}) WHERE ${refers(column)};`,
  )
  return `${indexes.join('\n')}
CREATE TRIGGER ${table}_released AFTER DELETE ON ${table} WHEN ${old.map((column) => `(${refers(column)})`).join(' OR ')} BEGIN
  DELETE FROM workflow_blobs WHERE sha256 IN (${old.map(hashIn).join(', ')}) AND ${isReleased};
END;`
})

/** The start of the quarter of an hour in which a call was made. */
const quarterOf = (row: 'old' | 'new') =>
  `strftime('%Y-%m-%dT%H:%M:%fZ', unixepoch(${row}.at) / 900 * 900, 'unixepoch')`

const summed = ['calls', 'failed_calls', 'spent_calls', 'input_tokens', 'output_tokens', 'free_tokens', 'cost_usd']

/** A statement of a trigger: counts a call in, or out of, the sums of its quarter. */
const countCall = (row: 'old' | 'new', sign: 1 | -1) => {
  const tokens = `(${row}.input_tokens + ${row}.output_tokens)`
  const ids = ['agent_id', 'job_id', 'loop_id', 'project_id'].map((id) => `coalesce(${row}.${id}, '')`).join(', ')
  const sums = [
    '1',
    `(${row}.status = 'failed')`,
    `(${tokens} > 0)`,
    `${row}.input_tokens`,
    `${row}.output_tokens`,
    `${tokens} * (${row}.cost_usd = 0)`,
    `${row}.cost_usd`,
  ]
    .map((sum) => `${sign} * ${sum}`)
    .join(', ')
  return `INSERT INTO model_usage VALUES (${row}.owner_id, ${quarterOf(row)}, ${row}.provider, ${row}.model, ${row}.category,
    ${ids}, ${sums})
    ON CONFLICT DO UPDATE SET ${summed.map((sum) => `${sum} = ${sum} + excluded.${sum}`).join(', ')};`
}

/** A statement of a trigger, after `countCall`: nothing is left of a quarter without calls. */
const forgetQuarter = `DELETE FROM model_usage WHERE owner_id = old.owner_id AND at = ${quarterOf('old')} AND calls = 0;`

/** The whole schema of 0.1.0. Tables are STRICT, ids and times are text. */
export const schema = `-- 1. The outbox of events, the queue of work, idempotency keys

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  ts TEXT NOT NULL,
  data TEXT NOT NULL,
  -- Null: everyone may see it.
  owner_id TEXT,
  -- Workflows that have started each other up to this event.
  chain_depth INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX events_age ON events (ts);
-- The last event that each durable reader of the outbox has considered.
CREATE TABLE event_consumers (name TEXT PRIMARY KEY, cursor INTEGER NOT NULL) STRICT;
CREATE TABLE work (
  id TEXT PRIMARY KEY,
  -- A user, or empty for the daemon's own work.
  owner_id TEXT NOT NULL DEFAULT '',
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
  lease_until TEXT,
  -- Why a unit that runs in another process should end. That process checks when it renews its leases.
  stop_requested TEXT,
  -- Workflows that have started each other up to this unit.
  chain_depth INTEGER NOT NULL DEFAULT 0,
  -- 1 while it is queued and starts before the others of its lane, although it is due later.
  keeps_lane INTEGER NOT NULL DEFAULT 0,
  -- Of a queued unit: 1 if its lane lets it start when it is due. The triggers keep it, so that no claim reads what is blocked.
  ready INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX work_ready ON work (kind, due_at, id) WHERE status = 'queued' AND ready = 1;
CREATE INDEX work_due ON work (due_at) WHERE status = 'queued';
CREATE INDEX work_running ON work (lease_until) WHERE status = 'running';
CREATE INDEX work_turn ON work (lane, keeps_lane DESC, due_at, id) WHERE status = 'queued' AND lane IS NOT NULL;
CREATE INDEX work_first ON work (lane) WHERE status = 'queued' AND ready = 1 AND lane IS NOT NULL;
CREATE INDEX work_lane ON work (lane, status) WHERE lane IS NOT NULL AND finished_at IS NULL;
CREATE INDEX work_open ON work (kind, status) WHERE finished_at IS NULL;
CREATE INDEX work_subject ON work (subject, kind, status);
CREATE INDEX work_followed ON work (payload ->> '$.followed_by.subject') WHERE payload ->> '$.followed_by.subject' IS NOT NULL;
CREATE INDEX work_delegated ON work (payload ->> '$.delegated_by.message_id')
  WHERE payload ->> '$.delegated_by.message_id' IS NOT NULL;
CREATE INDEX work_finished ON work (finished_at) WHERE finished_at IS NOT NULL;
CREATE TRIGGER work_added AFTER INSERT ON work WHEN new.lane IS NOT NULL BEGIN
  ${passTurn('new.lane')}
END;
CREATE TRIGGER work_changed AFTER UPDATE OF status, due_at, keeps_lane ON work WHEN new.lane IS NOT NULL BEGIN
  ${passTurn('new.lane')}
END;
CREATE TRIGGER work_removed AFTER DELETE ON work WHEN old.lane IS NOT NULL AND old.finished_at IS NULL BEGIN
  ${passTurn('old.lane')}
END;
CREATE TABLE idempotency (
  slot TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  created_at TEXT NOT NULL,
  status INTEGER,
  response TEXT
) STRICT;
CREATE INDEX idempotency_age ON idempotency (created_at);

-- 2. Auth

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role TEXT NOT NULL,
  display_name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_login_at TEXT
) STRICT;
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
-- lookup is the first 8 hex digits of the hash: enough to find the row, too little to help a timing attack.
CREATE TABLE api_keys (
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
) STRICT;
CREATE INDEX api_keys_lookup ON api_keys (lookup);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  lookup TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_lookup ON sessions (lookup);
CREATE INDEX sessions_expiry ON sessions (expires_at);
-- One row per open ticket: the credential that requested it and the hash of the ticket.
CREATE TABLE ws_tickets (
  hash TEXT PRIMARY KEY,
  credential_id TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
-- The row with id 1 is inserted with the first key, so that only one request can end bootstrap mode.
CREATE TABLE bootstrap (id INTEGER PRIMARY KEY CHECK (id = 1), ended_at TEXT NOT NULL) STRICT;
CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  ip TEXT NOT NULL,
  request_id TEXT NOT NULL,
  outcome TEXT NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit (at);

-- 3. Settings

-- One row per section (agent, security …) with the values that differ from the defaults.
CREATE TABLE settings (
  section TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
-- The same for sections of which each user has their own, such as the profile.
CREATE TABLE user_settings (
  section TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (section, owner_id)
) STRICT;

-- Each change of a section: who, when, and the members before and after, without secrets. The owner is empty for the
-- shared sections.
CREATE TABLE settings_changes (
  id TEXT PRIMARY KEY,
  section TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  at TEXT NOT NULL,
  actor TEXT NOT NULL,
  fields TEXT NOT NULL,
  undid TEXT
) STRICT;
CREATE INDEX settings_changes_undid ON settings_changes (undid) WHERE undid IS NOT NULL;

-- 4. Skills and tool servers

CREATE TABLE skills (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  content TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE builtin_skills (
  name TEXT PRIMARY KEY,
  enabled INTEGER NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE tool_servers (
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
  trust TEXT NOT NULL,
  catalog_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE approved_tools (
  server_id TEXT NOT NULL REFERENCES tool_servers (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  tool TEXT NOT NULL,
  approved_at TEXT NOT NULL,
  approved_by TEXT NOT NULL,
  PRIMARY KEY (server_id, name)
) STRICT;

-- 5. Agents

-- config is JSON of the members that are not used in queries.
CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  is_default INTEGER NOT NULL,
  config TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX agents_default ON agents (is_default) WHERE is_default = 1;

-- 6. Providers

CREATE TABLE providers (
  id TEXT PRIMARY KEY,
  sealed_key TEXT,
  key_hint TEXT,
  base_url TEXT,
  default_model TEXT,
  models TEXT NOT NULL DEFAULT '[]',
  models_at TEXT,
  -- Context sizes that the vendor named when it refused a prompt: an object of tokens by model.
  learned_contexts TEXT NOT NULL DEFAULT '{}',
  -- How the server takes arguments that it has refused: an object of names by argument, by model or * for all.
  learned_arguments TEXT NOT NULL DEFAULT '{}',
  last_test TEXT,
  cooldown_until TEXT,
  updated_at TEXT NOT NULL
) STRICT;

-- 7. Chat

CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL DEFAULT '',
  title TEXT NOT NULL,
  agent_id TEXT,
  project_id TEXT,
  kind TEXT NOT NULL,
  mode TEXT NOT NULL,
  execution_mode TEXT NOT NULL,
  model TEXT,
  pinned INTEGER NOT NULL,
  archived INTEGER NOT NULL,
  status TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  last_message_at TEXT,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  tainted INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- Check-ins armed since a person last wrote in the conversation.
  check_ins_armed INTEGER NOT NULL DEFAULT 0,
  -- JSON: ids of users, or everyone.
  shared_with TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE TABLE conversation_links (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  expires_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX conversation_links_of ON conversation_links (owner_id);
CREATE INDEX conversation_links_conversation ON conversation_links (conversation_id);
CREATE INDEX conversations_shared ON conversations (id) WHERE shared_with <> '[]';
CREATE INDEX conversations_open ON conversations (owner_id) WHERE status <> 'idle';
CREATE INDEX conversations_recent ON conversations (owner_id, pinned, updated_at, archived);
-- steers is the id of the answer that a message was added to while it was being generated. typed: a person wrote the
-- message, apart from its untrusted blocks.
CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  parts TEXT NOT NULL,
  attachments TEXT NOT NULL,
  model TEXT,
  provider TEXT,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  status TEXT NOT NULL,
  error TEXT,
  compacted INTEGER NOT NULL,
  steers TEXT,
  typed INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX messages_of ON messages (conversation_id, id);
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  run_ref TEXT NOT NULL,
  call_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  summary TEXT NOT NULL,
  agent_reason TEXT,
  input TEXT NOT NULL,
  risk TEXT NOT NULL,
  question TEXT,
  sealed_answer TEXT,
  status TEXT NOT NULL,
  reason TEXT,
  requested_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  resolved_at TEXT,
  resolved_by TEXT,
  -- JSON: the agent, project and loop that asked, and whether the conversation contained untrusted text.
  place TEXT NOT NULL,
  -- The permission that allowed it without asking anyone.
  permission_id TEXT
) STRICT;
CREATE INDEX approvals_open ON approvals (status, expires_at);
CREATE INDEX approvals_of ON approvals (conversation_id, status);
CREATE INDEX approvals_recent ON approvals (requested_at);
-- Calls that a person allows in advance.
CREATE TABLE permissions (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  uses_left INTEGER,
  uses INTEGER NOT NULL,
  last_used_at TEXT,
  -- JSON
  settings TEXT NOT NULL,
  -- One for a single conversation ends with it.
  conversation_id TEXT GENERATED ALWAYS AS (json_extract(settings, '$.scope.conversation_id')) STORED
    REFERENCES conversations (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX permissions_of ON permissions (owner_id, tool);
CREATE INDEX permissions_in ON permissions (conversation_id);
CREATE TABLE todos (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  done INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX todos_of ON todos (conversation_id, id);

-- 8. Check-ins

-- message_id is the answer that delivers it.
CREATE TABLE check_ins (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL,
  due_at TEXT NOT NULL,
  delay_minutes INTEGER NOT NULL,
  waiting_on TEXT NOT NULL,
  estimate_basis TEXT NOT NULL,
  status TEXT NOT NULL,
  source TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  message_id TEXT
) STRICT;
CREATE INDEX check_ins_of ON check_ins (conversation_id, due_at);
CREATE INDEX check_ins_message ON check_ins (message_id) WHERE message_id IS NOT NULL;

-- 9. Search in messages

-- The rowid of messages is not stable across VACUUM, so the index has row numbers of its own.
CREATE TABLE message_rows (
  rowid INTEGER PRIMARY KEY, message_id TEXT NOT NULL UNIQUE, owner_id TEXT NOT NULL) STRICT;
CREATE VIEW message_texts AS SELECT message_rows.rowid AS rowid, ${wordsOf('messages')} AS content
  FROM message_rows JOIN messages ON messages.id = message_rows.message_id;
CREATE VIEW message_piece_texts AS SELECT message_rows.rowid AS rowid, ${piecesOf('messages')} AS content
  FROM message_rows JOIN messages ON messages.id = message_rows.message_id;
CREATE VIRTUAL TABLE message_words USING fts5 (content, content='message_texts', content_rowid='rowid',
  tokenize='unicode61 remove_diacritics 2', prefix='2 3');
CREATE VIRTUAL TABLE message_pieces USING fts5 (content, content='message_piece_texts', content_rowid='rowid',
  tokenize='trigram');
CREATE VIRTUAL TABLE message_piece_terms USING fts5vocab ('message_pieces', 'instance');
CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
  INSERT INTO message_rows (message_id, owner_id)
    SELECT new.id, owner_id FROM conversations WHERE id = new.conversation_id;
  ${added.join('\n  ')}
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
  ${removed.join('\n  ')}
  DELETE FROM message_rows WHERE message_id = old.id;
END;
CREATE TRIGGER message_changed AFTER UPDATE OF content, status ON messages
  WHEN ${wordsOf('old')} <> ${wordsOf('new')} BEGIN
  ${removed.join('\n  ')}
  ${added.join('\n  ')}
END;
-- Workspace files that contain untrusted text: reading one taints the conversation.
CREATE TABLE tainted_files (
  workspace TEXT NOT NULL,
  path TEXT NOT NULL,
  marked_at TEXT NOT NULL,
  PRIMARY KEY (workspace, path)
) STRICT;
-- The content of a workspace file that a conversation, or a run of a workflow, last read or wrote.
CREATE TABLE file_versions (
  conversation_id TEXT NOT NULL,
  workspace TEXT NOT NULL,
  path TEXT NOT NULL,
  version TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  PRIMARY KEY (conversation_id, workspace, path)
) STRICT;
CREATE INDEX file_versions_by_time ON file_versions (seen_at);
-- What agents have changed in files. before, after: hashes of the kept contents; null for no file. run_ref: the task.
-- conversation_id, answer_id: of the caller if a helper (message_id) has changed it.
CREATE TABLE file_changes (
  id TEXT PRIMARY KEY,
  root TEXT NOT NULL,
  path TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  answer_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  run_ref TEXT,
  before TEXT,
  after TEXT,
  bytes INTEGER NOT NULL,
  untrusted INTEGER NOT NULL,
  changed_at TEXT NOT NULL,
  undone_at TEXT
) STRICT;
CREATE INDEX file_changes_by_conversation ON file_changes (conversation_id, answer_id);
CREATE INDEX file_changes_by_answer ON file_changes (answer_id);
CREATE INDEX file_changes_by_message ON file_changes (message_id);
CREATE INDEX file_changes_by_run ON file_changes (run_ref) WHERE run_ref IS NOT NULL;
CREATE INDEX file_changes_by_time ON file_changes (changed_at);
CREATE INDEX file_changes_by_before ON file_changes (before);
CREATE INDEX file_changes_by_after ON file_changes (after);
-- Roots of workspaces that are folders of the machine.
CREATE TABLE workspace_folders (
  root TEXT PRIMARY KEY,
  path TEXT NOT NULL
) STRICT;

-- 10. Usage: the ledger of model calls, budgets, limits and prices of vendors

-- One row per call. While status is reserved the reserved amounts count, afterwards the actual ones.
CREATE TABLE model_calls (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  at TEXT NOT NULL,
  status TEXT NOT NULL,
  category TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  agent_id TEXT,
  conversation_id TEXT,
  message_id TEXT,
  run_ref TEXT NOT NULL,
  job_id TEXT,
  loop_id TEXT,
  project_id TEXT,
  reserved_tokens INTEGER NOT NULL,
  reserved_usd REAL NOT NULL,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  -- Part of the input tokens.
  cached_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL NOT NULL DEFAULT 0,
  estimated INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  -- The process that made it.
  owner TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;
CREATE INDEX model_calls_at ON model_calls (at);
CREATE INDEX model_calls_owner ON model_calls (owner_id, at);
CREATE INDEX model_calls_provider ON model_calls (provider, at);
CREATE INDEX model_calls_agent ON model_calls (agent_id, at);
CREATE INDEX model_calls_conversation ON model_calls (conversation_id, at);
CREATE INDEX model_calls_message ON model_calls (message_id);
CREATE INDEX model_calls_run ON model_calls (run_ref);
CREATE INDEX model_calls_open ON model_calls (expires_at) WHERE status = 'reserved';
-- The sums of each quarter of an hour, kept by triggers: usage costs as much as there were quarters, not calls. Every offset of a
-- time zone is a multiple of that. Empty ids stand for none; free_tokens are those of calls without a cost.
CREATE TABLE model_usage (
  owner_id TEXT NOT NULL,
  at TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  category TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  loop_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  failed_calls INTEGER NOT NULL,
  spent_calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  free_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  PRIMARY KEY (owner_id, at, provider, model, category, agent_id, job_id, loop_id, project_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER model_call_added AFTER INSERT ON model_calls BEGIN
  ${countCall('new', 1)}
END;
CREATE TRIGGER model_call_changed AFTER UPDATE OF owner_id, at, status, provider, model, category, agent_id, job_id, loop_id, project_id,
  input_tokens, output_tokens, cost_usd ON model_calls BEGIN
  ${countCall('new', 1)}
  ${countCall('old', -1)}
  ${forgetQuarter}
END;
CREATE TRIGGER model_call_removed AFTER DELETE ON model_calls BEGIN
  ${countCall('old', -1)}
  ${forgetQuarter}
END;
-- What the latest calls have sent, for their owners to read: body is gzip of the JSON, null if it was too large; sizes as in
-- ledger/request-store.ts.
CREATE TABLE model_requests (
  number INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL UNIQUE,
  conversation_id TEXT,
  at TEXT NOT NULL,
  sizes TEXT NOT NULL,
  body BLOB,
  bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX model_requests_at ON model_requests (at);
CREATE INDEX model_requests_conversation ON model_requests (conversation_id);
-- For usage: conversations with a message in a period.
CREATE INDEX messages_at ON messages (created_at, conversation_id);
-- base_usd and base_tokens are the sums of the ledger from the start of the window, base_key, to base_until.
CREATE TABLE budgets (
  id TEXT PRIMARY KEY,
  -- Whose job or conversation it limits; null for a shared budget.
  owner_id TEXT,
  scope_kind TEXT NOT NULL,
  scope_id TEXT,
  window TEXT NOT NULL,
  limit_usd REAL,
  limit_tokens INTEGER,
  warn_pct TEXT NOT NULL,
  action TEXT NOT NULL,
  paused INTEGER NOT NULL,
  told_window TEXT NOT NULL DEFAULT '',
  told_pct REAL NOT NULL DEFAULT 0,
  base_key TEXT NOT NULL DEFAULT '',
  base_until TEXT NOT NULL DEFAULT '',
  base_usd REAL NOT NULL DEFAULT 0,
  base_tokens INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
-- What one process measured in a minute, or in an hour after two days; data as in monitoring/performance-store.ts.
CREATE TABLE performance_samples (
  id TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  seconds INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX performance_samples_at ON performance_samples (at);
CREATE TABLE alerts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  condition TEXT NOT NULL,
  threshold REAL NOT NULL,
  period_minutes INTEGER NOT NULL,
  -- JSON; the secret of a webhook is sealed.
  delivery TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  state TEXT NOT NULL,
  -- Whether the condition was false since it last fired, so that it may fire again.
  armed INTEGER NOT NULL DEFAULT 1,
  -- Why the condition could not be computed at the latest check.
  error TEXT,
  last_triggered TEXT,
  snoozed_until TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE alert_history (
  id TEXT PRIMARY KEY,
  alert_id TEXT NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  event TEXT NOT NULL,
  value REAL,
  by TEXT,
  note TEXT
) STRICT;
CREATE INDEX alert_history_alert ON alert_history (alert_id, id);
-- five_hour and seven_day are the vendor's latest report as JSON {utilization, resets_at}.
CREATE TABLE provider_limits (
  provider TEXT PRIMARY KEY,
  five_hour TEXT,
  seven_day TEXT,
  hard_limit_until TEXT,
  read_at TEXT,
  five_hour_allowance INTEGER,
  seven_day_allowance INTEGER,
  failed_over_at TEXT
) STRICT;
-- model is * for every model of the provider.
CREATE TABLE model_cooldowns (
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  until TEXT NOT NULL,
  code TEXT NOT NULL,
  strikes INTEGER NOT NULL,
  asked INTEGER NOT NULL,
  PRIMARY KEY (provider, model)
) STRICT;
-- USD per million tokens, set by a person; they override the catalogue.
CREATE TABLE model_prices (
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input_usd_per_mtok REAL NOT NULL,
  output_usd_per_mtok REAL NOT NULL,
  cached_usd_per_mtok REAL,
  context_tokens INTEGER,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (provider, model)
) STRICT;

-- 11. Memory: episodes

-- The long texts come last, so that a filter reads no overflow pages.
CREATE TABLE episodes (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner_id TEXT NOT NULL DEFAULT '',
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
  reply TEXT NOT NULL DEFAULT '',
  -- Character pairs of scripts without spaces, as words; null means not computed yet.
  pairs TEXT
) STRICT;
CREATE INDEX episodes_recent ON episodes (created_at);
CREATE INDEX episodes_owner ON episodes (owner_id, created_at);
-- For the numbers of a memory.
CREATE INDEX episodes_numbers ON episodes (owner_id, source, importance, valence);
CREATE INDEX episodes_agent ON episodes (agent_id, created_at);
CREATE VIRTUAL TABLE episodes_fts USING fts5 (
  content, reply, topics, content='episodes', content_rowid='rowid', tokenize='porter unicode61');
CREATE TRIGGER episodes_added AFTER INSERT ON episodes BEGIN
  INSERT INTO episodes_fts (rowid, content, reply, topics) VALUES (new.rowid, new.content, new.reply, new.topics);
END;
CREATE TRIGGER episodes_removed AFTER DELETE ON episodes BEGIN
  INSERT INTO episodes_fts (episodes_fts, rowid, content, reply, topics)
    VALUES ('delete', old.rowid, old.content, old.reply, old.topics);
END;
CREATE TRIGGER episodes_changed AFTER UPDATE OF content, reply, topics ON episodes BEGIN
  INSERT INTO episodes_fts (episodes_fts, rowid, content, reply, topics)
    VALUES ('delete', old.rowid, old.content, old.reply, old.topics);
  INSERT INTO episodes_fts (rowid, content, reply, topics) VALUES (new.rowid, new.content, new.reply, new.topics);
END;

-- 12. Memory: vectors and conversations

CREATE TABLE episode_vectors (id INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL) STRICT;
-- Episodes to be embedded. A change assigns a new seq, so that a vector of the old text is discarded.
CREATE TABLE vectors_pending (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, episode INTEGER NOT NULL UNIQUE) STRICT;
-- Episodes whose vectors or filter columns changed, for the index in memory. 0 means all.
CREATE TABLE vector_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, episode INTEGER NOT NULL) STRICT;
CREATE TABLE vector_model (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL) STRICT;
CREATE INDEX episodes_conversation ON episodes (conversation_id, position);
CREATE TABLE conversation_pieces (
  rowid INTEGER PRIMARY KEY, owner_id TEXT NOT NULL, conversation_id TEXT NOT NULL, piece INTEGER NOT NULL,
  stale INTEGER NOT NULL,
  UNIQUE (conversation_id, piece)) STRICT;
CREATE INDEX conversation_pieces_stale ON conversation_pieces (rowid) WHERE stale = 1;
CREATE VIRTUAL TABLE conversations_fts USING fts5 (
  text, content='', contentless_delete=1, tokenize='porter unicode61');
CREATE INDEX episodes_unpaired ON episodes (id) WHERE pairs IS NULL;
CREATE VIRTUAL TABLE pairs_fts USING fts5 (
  pairs, content='episodes', content_rowid='rowid', tokenize='unicode61');
CREATE TRIGGER episode_pairs_added AFTER INSERT ON episodes WHEN new.pairs <> '' BEGIN
  INSERT INTO pairs_fts (rowid, pairs) VALUES (new.rowid, new.pairs);
END;
CREATE TRIGGER episode_pairs_removed AFTER DELETE ON episodes WHEN old.pairs <> '' BEGIN
  INSERT INTO pairs_fts (pairs_fts, rowid, pairs) VALUES ('delete', old.rowid, old.pairs);
END;
CREATE TRIGGER episode_pairs_changed AFTER UPDATE OF pairs ON episodes BEGIN
  INSERT INTO pairs_fts (pairs_fts, rowid, pairs) SELECT 'delete', old.rowid, old.pairs WHERE old.pairs <> '';
  INSERT INTO pairs_fts (rowid, pairs) SELECT new.rowid, new.pairs WHERE new.pairs <> '';
END;
CREATE TRIGGER episode_vectors_wanted AFTER INSERT ON episodes BEGIN
  INSERT INTO vectors_pending (episode) VALUES (new.rowid);
  ${touchPiece('new')}
END;
CREATE TRIGGER episode_vectors_removed AFTER DELETE ON episodes BEGIN
  DELETE FROM episode_vectors WHERE ${vectorsOf('old')};
  DELETE FROM vectors_pending WHERE episode = old.rowid;
  INSERT INTO vector_changes (episode) VALUES (old.rowid);
  ${touchPiece('old')}
END;
CREATE TRIGGER episode_vectors_outdated AFTER UPDATE OF content, reply ON episodes
WHEN new.content <> old.content OR new.reply <> old.reply BEGIN
  DELETE FROM episode_vectors WHERE ${vectorsOf('old')};
  DELETE FROM vectors_pending WHERE episode = new.rowid;
  INSERT INTO vectors_pending (episode) VALUES (new.rowid);
  INSERT INTO vector_changes (episode) VALUES (new.rowid);
  ${touchPiece('new')}
END;
CREATE TRIGGER episode_vectors_refiltered AFTER UPDATE OF agent_id, owner_id, source, created_at ON episodes
WHEN new.agent_id IS NOT old.agent_id OR new.owner_id <> old.owner_id OR new.source <> old.source OR new.created_at <> old.created_at BEGIN
  INSERT INTO vector_changes (episode) VALUES (new.rowid);
END;

-- 13. Memory: the graph

-- One graph is live, one may be under construction, and the last three live ones are kept for undo.
CREATE TABLE graphs (id INTEGER PRIMARY KEY, state TEXT NOT NULL, kept_at TEXT) STRICT;
CREATE UNIQUE INDEX graphs_state ON graphs (state) WHERE state <> 'kept';
INSERT INTO graphs (id, state) VALUES (1, 'live');
-- mentions is the sum over its episodes, maintained by triggers; since is the time of the first episode.
CREATE TABLE entities (
  rowid INTEGER PRIMARY KEY,
  owner_id TEXT NOT NULL,
  graph INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  mentions INTEGER NOT NULL DEFAULT 0,
  since TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX entities_key ON entities (graph, owner_id, key);
CREATE UNIQUE INDEX entities_id ON entities (graph, id);
CREATE INDEX entities_known ON entities (graph, owner_id, mentions DESC, id);
CREATE INDEX entities_type ON entities (graph, owner_id, type, mentions DESC, id);
CREATE TABLE episode_entities (
  episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  entity INTEGER NOT NULL REFERENCES entities (rowid) ON DELETE CASCADE,
  mentions INTEGER NOT NULL,
  PRIMARY KEY (episode_id, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_entities_of ON episode_entities (entity);
-- exclusive: a subject has one such fact at a time. ended_at is stated by a text, invalid_at is derived from all facts.
-- external: stated by untrusted text only.
CREATE TABLE relations (
  rowid INTEGER PRIMARY KEY,
  owner_id TEXT NOT NULL,
  graph INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  source INTEGER NOT NULL REFERENCES entities (rowid) ON DELETE CASCADE,
  target INTEGER NOT NULL REFERENCES entities (rowid) ON DELETE CASCADE,
  type TEXT NOT NULL,
  fact TEXT NOT NULL,
  valid_at TEXT NOT NULL,
  ended_at TEXT,
  invalid_at TEXT,
  exclusive INTEGER NOT NULL,
  external INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX relations_id ON relations (graph, id);
CREATE INDEX relations_source ON relations (source, type);
CREATE INDEX relations_target ON relations (target);
CREATE TABLE relation_episodes (
  relation INTEGER NOT NULL REFERENCES relations (rowid) ON DELETE CASCADE,
  episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  PRIMARY KEY (relation, episode_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX relation_episodes_of ON relation_episodes (episode_id);
-- What was extracted from an episode, by which method, and the updated_at of the episode then. reading: mentions or facts.
CREATE TABLE extractions (
  graph INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
  episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  reading TEXT NOT NULL,
  method TEXT NOT NULL,
  hash TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (graph, episode_id, reading)
) STRICT, WITHOUT ROWID;
CREATE INDEX extractions_of ON extractions (episode_id);
CREATE TRIGGER mention_added AFTER INSERT ON episode_entities BEGIN
  UPDATE entities SET mentions = mentions + new.mentions WHERE rowid = new.entity;
END;
CREATE TRIGGER mention_changed AFTER UPDATE OF mentions ON episode_entities BEGIN
  UPDATE entities SET mentions = mentions + new.mentions - old.mentions WHERE rowid = new.entity;
END;
-- No episode mentions it any more.
CREATE TRIGGER mention_removed AFTER DELETE ON episode_entities BEGIN
  UPDATE entities SET mentions = mentions - old.mentions WHERE rowid = old.entity;
  DELETE FROM entities WHERE rowid = old.entity AND mentions <= 0;
END;
CREATE TRIGGER evidence_removed AFTER DELETE ON relation_episodes BEGIN
  DELETE FROM relations WHERE rowid = old.relation
    AND NOT EXISTS (SELECT 1 FROM relation_episodes WHERE relation = old.relation);
END;
CREATE TRIGGER fact_added AFTER INSERT ON relations WHEN new.exclusive = 1 BEGIN
  UPDATE relations SET invalid_at = ${ends} WHERE source = new.source AND type = new.type;
END;
CREATE TRIGGER fact_changed AFTER UPDATE OF valid_at, ended_at, external ON relations WHEN new.exclusive = 1 BEGIN
  UPDATE relations SET invalid_at = ${ends} WHERE source = new.source AND type = new.type;
END;
-- Facts that it had ended are valid again.
CREATE TRIGGER fact_removed AFTER DELETE ON relations WHEN old.exclusive = 1 BEGIN
  UPDATE relations SET invalid_at = ${ends} WHERE source = old.source AND type = old.type;
END;

-- 14. Memory: recalls and versions

-- How often an episode was in a prompt, and whether the answer used it.
CREATE TABLE episode_recalls (
  episode_id TEXT PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
  recalled INTEGER NOT NULL,
  used INTEGER NOT NULL,
  ignored INTEGER NOT NULL,
  last_recalled_at TEXT
) STRICT, WITHOUT ROWID;
-- The same per answer.
CREATE TABLE turn_recalls (
  message_id TEXT NOT NULL,
  episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  score REAL NOT NULL,
  used INTEGER NOT NULL,
  recalled_at TEXT NOT NULL,
  PRIMARY KEY (message_id, episode_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_recalls_of ON turn_recalls (episode_id);
CREATE INDEX turn_recalls_old ON turn_recalls (recalled_at);
-- Earlier versions of an episode, also of a deleted one. body is the episode as JSON, with its reply and position.
CREATE TABLE episode_versions (
  episode_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  change TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (episode_id, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_versions_old ON episode_versions (changed_at);

-- 15. Memory: clusters

-- The latest cluster maps. scope is an owner, followed by an agent if the map is of one; version identifies the data of the map.
CREATE TABLE memory_maps (
  scope TEXT NOT NULL, clusters INTEGER NOT NULL, version TEXT NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (scope, clusters)) STRICT;
CREATE TABLE episode_clusters (
  episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
  cluster_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  clusters INTEGER NOT NULL,
  PRIMARY KEY (episode_id, cluster_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_clusters_of ON episode_clusters (cluster_id);
CREATE INDEX episode_clusters_map ON episode_clusters (scope, clusters);

-- 16. Scheduler

-- anchor_at is the start of an \`every\` schedule. planned_at is when next_run_at was computed: if it is in the
-- future, the clock was set back. settings is JSON of the members that only a run reads.
CREATE TABLE scheduler_jobs (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  goal TEXT NOT NULL,
  schedule TEXT NOT NULL,
  status TEXT NOT NULL,
  paused_reason TEXT,
  agent_id TEXT,
  next_run_at TEXT,
  last_run_at TEXT,
  last_status TEXT,
  run_count INTEGER NOT NULL,
  consecutive_failures INTEGER NOT NULL,
  settings TEXT NOT NULL,
  anchor_at TEXT NOT NULL,
  planned_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX scheduler_jobs_due ON scheduler_jobs (status, next_run_at);
CREATE INDEX scheduler_jobs_owner ON scheduler_jobs (owner_id);
CREATE INDEX scheduler_jobs_planned ON scheduler_jobs (status, planned_at);
CREATE TABLE scheduler_runs (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  trigger TEXT NOT NULL,
  scheduled_for TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  started_at TEXT,
  completed_at TEXT,
  output TEXT,
  error TEXT,
  conversation_id TEXT,
  message_id TEXT,
  started_id TEXT,
  delivery_status TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  chain_run_id TEXT,
  created_at TEXT NOT NULL,
  delivery_attempts INTEGER NOT NULL DEFAULT 0,
  delivery_error TEXT,
  delivered_at TEXT
) STRICT;
-- A due time has exactly one row.
CREATE UNIQUE INDEX scheduler_runs_slot ON scheduler_runs (job_id, scheduled_for)
  WHERE trigger IN ('schedule', 'catchup');
CREATE INDEX scheduler_runs_of ON scheduler_runs (job_id, id);
CREATE INDEX scheduler_runs_open ON scheduler_runs (job_id, status) WHERE status IN ('queued', 'running');
CREATE INDEX scheduler_runs_ended ON scheduler_runs (completed_at);
CREATE INDEX scheduler_runs_made ON scheduler_runs (created_at);
CREATE INDEX scheduler_runs_manual ON scheduler_runs (created_at) WHERE trigger = 'manual';
CREATE TABLE scheduler_chains (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  on_schedule INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE scheduler_chain_jobs (
  chain_id TEXT NOT NULL REFERENCES scheduler_chains (id) ON DELETE CASCADE,
  job_id TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  PRIMARY KEY (chain_id, job_id)
) STRICT;
CREATE TABLE scheduler_chain_edges (
  chain_id TEXT NOT NULL REFERENCES scheduler_chains (id) ON DELETE CASCADE,
  from_job TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
  to_job TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  PRIMARY KEY (chain_id, from_job, to_job, type)
) STRICT;
CREATE INDEX scheduler_chain_edges_from ON scheduler_chain_edges (from_job);
CREATE TABLE scheduler_chain_runs (
  id TEXT PRIMARY KEY,
  chain_id TEXT NOT NULL REFERENCES scheduler_chains (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  started_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE INDEX scheduler_chain_runs_of ON scheduler_chain_runs (chain_id, id);
-- For the calendar, which shows a run at its due time.
CREATE INDEX scheduler_runs_planned ON scheduler_runs (scheduled_for);
-- State of a job between runs: the state of a file, the conversation for its results.
CREATE TABLE scheduler_marks (
  job_id TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (job_id, name)
) STRICT;
-- One row per job of a chain run that has started or was left out.
CREATE TABLE scheduler_chain_steps (
  chain_run_id TEXT NOT NULL REFERENCES scheduler_chain_runs (id) ON DELETE CASCADE,
  job_id TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
  run_id TEXT,
  status TEXT NOT NULL,
  PRIMARY KEY (chain_run_id, job_id)
) STRICT;
CREATE INDEX scheduler_chain_steps_run ON scheduler_chain_steps (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX scheduler_chain_jobs_of ON scheduler_chain_jobs (job_id);
CREATE INDEX scheduler_chain_runs_open ON scheduler_chain_runs (chain_id) WHERE completed_at IS NULL;

-- 17. Browser: saved sessions

-- origins is JSON; sealed is the encrypted cookies and local storage.
CREATE TABLE browser_auth_states (
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  cookies INTEGER NOT NULL,
  origins TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, name)
) STRICT;

-- 18. Browser: recordings

CREATE TABLE browser_recordings (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  start_url TEXT,
  action_count INTEGER NOT NULL,
  duration_seconds REAL NOT NULL,
  file_path TEXT,
  started_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE UNIQUE INDEX browser_recordings_open ON browser_recordings (status) WHERE status = 'recording';
-- step is JSON: the action, the locators of its element, and its time.
CREATE TABLE browser_recording_steps (
  recording_id TEXT NOT NULL REFERENCES browser_recordings (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  step TEXT NOT NULL,
  PRIMARY KEY (recording_id, position)
) STRICT;
-- steps is JSON: the result of each step.
CREATE TABLE browser_replays (
  id TEXT PRIMARY KEY,
  recording_id TEXT NOT NULL REFERENCES browser_recordings (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  speed REAL NOT NULL,
  stop_on_error INTEGER NOT NULL,
  steps TEXT NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE INDEX browser_replays_of ON browser_replays (recording_id, id);
CREATE TABLE browser_videos (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  replay_id TEXT,
  status TEXT NOT NULL,
  format TEXT,
  file_path TEXT,
  size_bytes INTEGER,
  duration_seconds REAL,
  error TEXT,
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;

-- 19. Files

CREATE TABLE files (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- For search: SQLite folds the case of ASCII letters only.
  name_lower TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  purpose TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX files_content ON files (sha256, size_bytes);
CREATE INDEX files_purpose ON files (owner_id, purpose, id);

-- 20. Dispatcher

CREATE TABLE dispatcher_decisions (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  -- Whole while a person is asked about it, then its beginning.
  input TEXT NOT NULL,
  input_excerpt TEXT NOT NULL,
  source TEXT NOT NULL,
  intent TEXT NOT NULL,
  target TEXT,
  agent_id TEXT,
  confidence REAL NOT NULL,
  method TEXT NOT NULL,
  reason TEXT NOT NULL,
  alternatives TEXT NOT NULL,
  status TEXT NOT NULL,
  latency_ms INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX dispatcher_decisions_owner ON dispatcher_decisions (owner_id, id);
CREATE INDEX dispatcher_decisions_age ON dispatcher_decisions (created_at);
CREATE TABLE dispatcher_rules (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  -- Folded, as the dispatcher compares sentences.
  text TEXT NOT NULL,
  intent TEXT NOT NULL,
  target TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (owner_id, text)
) STRICT;

-- 21. Projects

-- settings: strategy, approvals, decisions, agent and budget, as JSON. audit: the latest one.
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL,
  settings TEXT NOT NULL,
  conversation_id TEXT,
  audit TEXT,
  job_id TEXT,
  run_id TEXT,
  shared_with TEXT NOT NULL DEFAULT '[]',
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT
) STRICT;
CREATE INDEX projects_newest ON projects (owner_id, created_at);
CREATE INDEX projects_shared ON projects (id) WHERE shared_with <> '[]';
-- Each version as it was made; the phases and tasks of the current one are rows of their own.
CREATE TABLE project_plans (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at TEXT NOT NULL,
  approved_at TEXT,
  UNIQUE (project_id, version)
) STRICT;
CREATE TABLE project_phases (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  goal TEXT NOT NULL,
  approved_at TEXT,
  asked_at TEXT
) STRICT;
CREATE INDEX project_phases_of ON project_phases (project_id, position);
-- content: what the plan says about the task, as JSON. message_id: the answer of its current attempt.
CREATE TABLE project_tasks (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  phase_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  content TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  outputs TEXT NOT NULL,
  block TEXT,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  error TEXT,
  conversation_id TEXT,
  message_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT
) STRICT;
CREATE INDEX project_tasks_of ON project_tasks (project_id, position);
CREATE INDEX project_tasks_ended ON project_tasks (completed_at) WHERE completed_at IS NOT NULL;

-- 22. Loops

-- state: settings, the state of the latest run and counters, as JSON.
CREATE TABLE loops (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  shared_with TEXT NOT NULL DEFAULT '[]',
  revision INTEGER NOT NULL,
  name TEXT NOT NULL,
  goal TEXT NOT NULL,
  status TEXT NOT NULL,
  run_id TEXT,
  state TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX loops_changed ON loops (owner_id, updated_at);
CREATE INDEX loops_shared ON loops (id) WHERE shared_with <> '[]';
CREATE INDEX loops_run ON loops (run_id);
-- Copies of a repository in which tasks work: the state where the copy began, the one that was reviewed, and the one that is being
-- put there. Conflicts: paths with both sides, and how often there were any.
CREATE TABLE project_worktrees (
  task_id TEXT PRIMARY KEY REFERENCES project_tasks (id) ON DELETE CASCADE,
  base TEXT NOT NULL,
  accepted TEXT,
  pending TEXT,
  conflicts TEXT NOT NULL,
  rounds INTEGER NOT NULL
) STRICT;
CREATE TABLE loop_runs (
  id TEXT PRIMARY KEY,
  loop_id TEXT NOT NULL REFERENCES loops (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  state TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE INDEX loop_runs_of ON loop_runs (loop_id, id);
-- state: report, actions and verdict, as JSON. message_id: the answer of its current attempt.
CREATE TABLE loop_iterations (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES loop_runs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  status TEXT NOT NULL,
  message_id TEXT NOT NULL,
  state TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  UNIQUE (run_id, position)
) STRICT;
-- 23. Workflows

-- definition: nodes, edges, settings, variables, input schema and pin data of the current version, as JSON.
CREATE TABLE workflows (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  shared_with TEXT NOT NULL DEFAULT '[]',
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL,
  tags TEXT NOT NULL,
  definition TEXT NOT NULL,
  -- In which its notifications are.
  conversation_id TEXT,
  -- What its code keeps from one execution to the next, as JSON.
  static_data TEXT,
  -- What its import could not translate and nobody has mended yet.
  import_notes TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX workflows_newest ON workflows (owner_id, updated_at);
CREATE INDEX workflows_shared ON workflows (id) WHERE shared_with <> '[]';
CREATE TABLE workflow_versions (
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  definition TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (workflow_id, version)
) STRICT;
-- state: what is left to do, as JSON. revision grows with each stored step, so that only one process advances it.
CREATE TABLE workflow_executions (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  trigger TEXT NOT NULL,
  status TEXT NOT NULL,
  revision INTEGER NOT NULL,
  state TEXT NOT NULL,
  input TEXT NOT NULL,
  output TEXT,
  error TEXT,
  use_pin_data INTEGER NOT NULL,
  retry_of TEXT,
  parent_id TEXT,
  parent_token INTEGER,
  depth INTEGER NOT NULL,
  -- What its end notifies, as JSON: a run of the scheduler, for example.
  followed_by TEXT,
  deadline_at TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT
) STRICT;
CREATE INDEX workflow_executions_of ON workflow_executions (workflow_id, created_at, owner_id);
CREATE INDEX workflow_executions_owner ON workflow_executions (owner_id, created_at);
CREATE INDEX workflow_executions_open ON workflow_executions (workflow_id, status) WHERE status IN ('queued', 'running', 'waiting');
CREATE INDEX workflow_executions_queued ON workflow_executions (workflow_id, id) WHERE status = 'queued';
CREATE INDEX workflow_executions_ended ON workflow_executions (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX workflow_executions_parent ON workflow_executions (parent_id) WHERE parent_id IS NOT NULL;
-- How many executions of a workflow have not ended, by status. Triggers keep it, so that no start or end reads them all.
CREATE TABLE workflow_loads (
  workflow_id TEXT PRIMARY KEY REFERENCES workflows (id) ON DELETE CASCADE,
  queued INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0,
  waiting INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TRIGGER workflow_execution_added AFTER INSERT ON workflow_executions WHEN new.completed_at IS NULL BEGIN
  INSERT OR IGNORE INTO workflow_loads (workflow_id) VALUES (new.workflow_id);
  ${countOpen('new', '+')}
END;
CREATE TRIGGER workflow_execution_changed AFTER UPDATE OF status ON workflow_executions WHEN old.status <> new.status BEGIN
  ${countOpen('old', '-')}
  ${countOpen('new', '+')}
END;
CREATE TRIGGER workflow_execution_removed AFTER DELETE ON workflow_executions WHEN old.completed_at IS NULL BEGIN
  ${countOpen('old', '-')}
END;
-- input is null where it is large and the output of the run input_from. items: where the items of the output came from and
-- went, as JSON. one_item: the run is for one item of a list, and another one has the outputs of all.
CREATE TABLE workflow_node_runs (
  execution_id TEXT NOT NULL REFERENCES workflow_executions (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  node_id TEXT NOT NULL,
  token INTEGER NOT NULL,
  frame INTEGER,
  iteration INTEGER,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  input TEXT,
  input_from INTEGER,
  output TEXT,
  output_name TEXT,
  items TEXT,
  one_item INTEGER NOT NULL,
  error TEXT,
  pinned INTEGER NOT NULL,
  -- Console output of code.
  logs TEXT,
  PRIMARY KEY (execution_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX workflow_node_runs_of ON workflow_node_runs (execution_id, node_id, seq);
-- The items of a loop while it runs.
CREATE TABLE workflow_loops (
  execution_id TEXT NOT NULL REFERENCES workflow_executions (id) ON DELETE CASCADE,
  frame INTEGER NOT NULL,
  items TEXT NOT NULL,
  PRIMARY KEY (execution_id, frame)
) STRICT;
CREATE TABLE workflow_loop_results (
  execution_id TEXT NOT NULL REFERENCES workflow_executions (id) ON DELETE CASCADE,
  frame INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  -- The output at which the node continued, and the items of the loop that the value was made from, as JSON.
  output TEXT NOT NULL,
  parents TEXT NOT NULL,
  PRIMARY KEY (execution_id, frame, position)
) STRICT, WITHOUT ROWID;
-- Values of more than 256 KB, as JSON in pieces, by hash. The columns that have values then have a reference instead.
CREATE TABLE workflow_blobs (
  sha256 TEXT NOT NULL,
  piece INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (sha256, piece)
) STRICT;
${releases.join('\n')}
-- Files of executions. execution_id: empty until an execution starts with the file, and stays when it is deleted: the
-- file then goes, too, if workflows made it.
CREATE TABLE workflow_files (
  file_id TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  made INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (file_id, execution_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX workflow_files_of ON workflow_files (execution_id);
-- Conversations that agents of a workflow continue, by what its runs have in common.
CREATE TABLE workflow_sessions (
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  node_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  session TEXT NOT NULL,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  PRIMARY KEY (workflow_id, node_id, owner_id, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX workflow_sessions_of ON workflow_sessions (conversation_id);
-- Items that runs of a node have had, by a hash, and which run had it first; node_id is empty for all nodes of the workflow.
CREATE TABLE workflow_seen (
  id INTEGER PRIMARY KEY,
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  node_id TEXT NOT NULL,
  key TEXT NOT NULL,
  run TEXT NOT NULL,
  UNIQUE (workflow_id, node_id, key)
) STRICT;
CREATE INDEX workflow_seen_order ON workflow_seen (workflow_id, node_id, id);
-- How a wait ended, until the execution has continued.
CREATE TABLE workflow_signals (
  execution_id TEXT NOT NULL REFERENCES workflow_executions (id) ON DELETE CASCADE,
  token INTEGER NOT NULL,
  signal TEXT NOT NULL,
  PRIMARY KEY (execution_id, token)
) STRICT;
-- What starts an active workflow. key: hash of the token of a webhook or form, type of an event, or job of a schedule.
-- config: the parameters of the node, as JSON. cursor: the last event that was considered.
CREATE TABLE workflow_triggers (
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  node_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  config TEXT NOT NULL,
  sealed_token TEXT,
  cursor INTEGER NOT NULL,
  enabled INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, node_id)
) STRICT;
CREATE UNIQUE INDEX workflow_triggers_webhook ON workflow_triggers (key) WHERE kind IN ('webhook', 'form');
CREATE INDEX workflow_triggers_enabled ON workflow_triggers (kind, key) WHERE enabled = 1;
-- 24. Sandbox: containers and the commands that ran in them

CREATE TABLE sandbox_containers (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  backend TEXT NOT NULL,
  agent_id TEXT,
  spec TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL
) STRICT;
CREATE INDEX sandbox_containers_of ON sandbox_containers (owner_id, id);

CREATE TABLE sandbox_commands (
  id TEXT PRIMARY KEY,
  container_id TEXT NOT NULL REFERENCES sandbox_containers (id) ON DELETE CASCADE,
  command TEXT NOT NULL,
  started_at TEXT NOT NULL,
  output TEXT NOT NULL,
  exit_code INTEGER,
  error TEXT,
  timed_out INTEGER NOT NULL,
  truncated INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX sandbox_commands_of ON sandbox_commands (container_id, id);
-- 25. Devices, their tokens, groups and commands

-- capabilities: what it offers; allowed_commands: what its owner has approved; reviewed: what they have decided about.
-- push: the Web Push subscription of a browser. command_seq: the position of its latest command.
CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  platform TEXT NOT NULL,
  model TEXT,
  os_version TEXT,
  client_version TEXT,
  capabilities TEXT NOT NULL,
  allowed_commands TEXT NOT NULL,
  reviewed TEXT NOT NULL,
  status TEXT NOT NULL,
  health TEXT NOT NULL,
  push TEXT,
  last_seen_at TEXT,
  paired_at TEXT NOT NULL,
  command_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX devices_of ON devices (owner_id, name);
-- Apart from the API keys: a device token opens device sockets and nothing else.
CREATE TABLE device_tokens (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  lookup TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX device_tokens_lookup ON device_tokens (lookup);
-- The identity towards the push services of browsers.
CREATE TABLE device_push_keys (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  public_key TEXT NOT NULL,
  sealed_private_key TEXT NOT NULL
) STRICT;
-- Browsers that their owner is notified in. target: endpoint and keys of the Web Push subscription.
CREATE TABLE notified_browsers (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  endpoint TEXT NOT NULL UNIQUE,
  target TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX notified_browsers_of ON notified_browsers (owner_id);
CREATE TABLE device_pairing_codes (
  hash TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT,
  group_id TEXT,
  -- Where it was created.
  address TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE TABLE device_groups (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX device_groups_of ON device_groups (owner_id, name);
CREATE TABLE device_group_members (
  group_id TEXT NOT NULL REFERENCES device_groups (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX device_group_members_of ON device_group_members (device_id);
CREATE TABLE device_commands (
  id TEXT PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  batch_id TEXT,
  -- Position among the commands of the device, in which they are delivered.
  seq INTEGER NOT NULL,
  command TEXT NOT NULL,
  params TEXT NOT NULL,
  status TEXT NOT NULL,
  progress TEXT,
  output TEXT,
  error TEXT,
  timeout_seconds INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  sent_at TEXT,
  ended_at TEXT,
  UNIQUE (device_id, seq)
) STRICT;
CREATE INDEX device_commands_open ON device_commands (device_id, seq) WHERE ended_at IS NULL;
CREATE INDEX device_commands_ended ON device_commands (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX device_commands_batch ON device_commands (batch_id) WHERE batch_id IS NOT NULL;
-- 26. Channels: messengers, who may write there, and their messages

-- credentials: JSON, sealed; shown_credentials: what is shown of them. cursor: of a platform that is polled.
CREATE TABLE channels (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  platform TEXT NOT NULL,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  status TEXT NOT NULL,
  settings TEXT NOT NULL,
  default_agent_id TEXT,
  sealed_credentials TEXT,
  shown_credentials TEXT NOT NULL,
  cursor TEXT,
  poll_due_at TEXT,
  poll_failures INTEGER NOT NULL,
  last_error TEXT,
  last_inbound_at TEXT,
  last_outbound_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX channels_of ON channels (owner_id, id);
CREATE INDEX channels_polled ON channels (poll_due_at) WHERE poll_due_at IS NOT NULL;

CREATE TABLE channel_bindings (
  id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  match TEXT NOT NULL,
  agent_id TEXT,
  project_id TEXT,
  session_scope TEXT NOT NULL,
  priority INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX channel_bindings_of ON channel_bindings (channel_id);

-- peer: where they wrote, as JSON.
CREATE TABLE channel_pairings (
  id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  sender_id TEXT NOT NULL,
  sender_name TEXT,
  peer TEXT NOT NULL,
  status TEXT NOT NULL,
  role TEXT,
  code TEXT NOT NULL,
  code_sent_at TEXT NOT NULL,
  requested_at TEXT NOT NULL,
  resolved_at TEXT,
  UNIQUE (channel_id, sender_id)
) STRICT;

-- Which conversation the messages of a key go to, and where the last one came from.
CREATE TABLE channel_sessions (
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  peer TEXT NOT NULL,
  is_owner INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (channel_id, key)
) STRICT;
CREATE INDEX channel_sessions_conversation ON channel_sessions (conversation_id);

-- Received messages; the ids of the last 24 hours at least, so that a repeat does nothing.
CREATE TABLE channel_inbound (
  id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  message TEXT NOT NULL,
  sealed_reply TEXT,
  status TEXT NOT NULL,
  answer_id TEXT,
  received_at TEXT NOT NULL,
  UNIQUE (channel_id, message_id)
) STRICT;
CREATE INDEX channel_inbound_answer ON channel_inbound (answer_id) WHERE answer_id IS NOT NULL;
CREATE INDEX channel_inbound_received ON channel_inbound (received_at);

-- not_before: quiet hours, for this message alone. retry_at: no other message of the lane is sent before it.
-- turn: the agent's message that it belongs to. approvals: the ids that a question asks for, as JSON. revision: counts the
-- changes after which a sent message is sent again, as an edit.
CREATE TABLE channel_outbound (
  id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  lane TEXT NOT NULL,
  kind TEXT NOT NULL,
  turn TEXT,
  approvals TEXT NOT NULL,
  revision INTEGER NOT NULL,
  peer TEXT NOT NULL,
  markdown TEXT NOT NULL,
  buttons TEXT NOT NULL,
  files TEXT NOT NULL,
  sealed_reply TEXT,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  error TEXT,
  not_before TEXT,
  retry_at TEXT,
  platform_message_id TEXT,
  created_at TEXT NOT NULL,
  sent_at TEXT
) STRICT;
CREATE INDEX channel_outbound_pending ON channel_outbound (lane, id) WHERE status = 'pending';
CREATE INDEX channel_outbound_created ON channel_outbound (created_at);
CREATE INDEX channel_outbound_turn ON channel_outbound (turn) WHERE turn IS NOT NULL;
CREATE INDEX channel_outbound_platform ON channel_outbound (channel_id, platform_message_id) WHERE platform_message_id IS NOT NULL;

CREATE TABLE channel_log (
  id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  direction TEXT NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX channel_log_of ON channel_log (channel_id, id);
-- 27. Hooks and webhooks

-- settings: everything that nothing selects by, as JSON. since: events up to this one do not count.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  settings TEXT NOT NULL,
  sealed_secret TEXT NOT NULL,
  -- The secret before the last rotation, with which deliveries are signed as well until then.
  sealed_old_secret TEXT,
  old_secret_until TEXT,
  disabled_reason TEXT,
  since INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX webhooks_of ON webhooks (owner_id, id);
CREATE INDEX webhooks_enabled ON webhooks (enabled) WHERE enabled = 1;
CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event_type TEXT NOT NULL,
  payload TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Attempts since it was last queued; attempts is the log of all, as JSON.
  attempt INTEGER NOT NULL,
  attempts TEXT NOT NULL,
  next_attempt_at TEXT,
  created_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE INDEX webhook_deliveries_of ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (completed_at) WHERE completed_at IS NOT NULL;
CREATE TABLE incoming_webhooks (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  settings TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  sealed_token TEXT NOT NULL,
  sealed_secret TEXT,
  capture_until TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX incoming_webhooks_of ON incoming_webhooks (owner_id, id);
-- What was received. message_key: the sender's id of the message, by which duplicates are found.
CREATE TABLE incoming_deliveries (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES incoming_webhooks (id) ON DELETE CASCADE,
  message_key TEXT,
  status TEXT NOT NULL,
  headers TEXT NOT NULL,
  query TEXT NOT NULL,
  body TEXT NOT NULL,
  result TEXT,
  error TEXT,
  received_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE INDEX incoming_deliveries_of ON incoming_deliveries (webhook_id, id);
CREATE INDEX incoming_deliveries_age ON incoming_deliveries (received_at);
CREATE UNIQUE INDEX incoming_deliveries_key ON incoming_deliveries (webhook_id, message_key) WHERE message_key IS NOT NULL;
CREATE TABLE hooks (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  blocking INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  settings TEXT NOT NULL,
  -- The conversation in which it notifies its owner.
  conversation_id TEXT,
  since INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX hooks_of ON hooks (owner_id, id);
CREATE INDEX hooks_enabled ON hooks (blocking, priority) WHERE enabled = 1;
CREATE TABLE hook_runs (
  id TEXT PRIMARY KEY,
  hook_id TEXT NOT NULL REFERENCES hooks (id) ON DELETE CASCADE,
  event_type TEXT NOT NULL,
  event TEXT NOT NULL,
  status TEXT NOT NULL,
  decision TEXT,
  result TEXT,
  error TEXT,
  created_at TEXT NOT NULL,
  completed_at TEXT
) STRICT;
CREATE INDEX hook_runs_of ON hook_runs (hook_id, id);
CREATE INDEX hook_runs_ended ON hook_runs (completed_at) WHERE completed_at IS NOT NULL;
-- 28. Credentials

-- settings: everything that nothing selects by, as JSON. sealed_tokens: of OAuth 2. renewing_until: until then, one
-- process renews them and the others wait.
CREATE TABLE credentials (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  shared_with TEXT NOT NULL,
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  sealed_fields TEXT NOT NULL,
  sealed_tokens TEXT,
  tokens_expire_at TEXT,
  renewing_until TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX credentials_of ON credentials (owner_id, name);
CREATE INDEX credentials_shared ON credentials (id) WHERE shared_with <> '[]';

-- 29. Tables that people make

-- settings: description, columns and access, as JSON. The rows of each are in a table of its own, data_<id>, whose triggers
-- keep row_count and bytes, and write down in data_change_rows how a row was before the change change_id.
CREATE TABLE data_tables (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  shared_with TEXT NOT NULL,
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  row_count INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  change_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX data_tables_of ON data_tables (owner_id, name);
CREATE INDEX data_tables_shared ON data_tables (id) WHERE shared_with <> '[]';

CREATE TABLE data_changes (
  id TEXT PRIMARY KEY,
  table_id TEXT NOT NULL,
  at TEXT NOT NULL,
  by TEXT NOT NULL,
  action TEXT NOT NULL,
  rows INTEGER NOT NULL,
  undoes TEXT,
  undone INTEGER NOT NULL
) STRICT;
CREATE INDEX data_changes_of ON data_changes (table_id, id);

-- before: the values of the row as JSON, NULL if the change has made it.
CREATE TABLE data_change_rows (
  change_id TEXT NOT NULL,
  row_id INTEGER NOT NULL,
  before TEXT,
  PRIMARY KEY (change_id, row_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER data_changes_removed AFTER DELETE ON data_changes BEGIN
  DELETE FROM data_change_rows WHERE change_id = old.id;
END;
`
