import type { Migration } from './migration.ts'

export const chat: Migration = {
  version: 6,
  name: 'chat',
  statements: [
    `CREATE TABLE conversations (
      id TEXT PRIMARY KEY,
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
      updated_at TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX conversations_recent ON conversations (archived, pinned, updated_at)`,
    // steers names the answer that took a person's message in while it was being made.
    `CREATE TABLE messages (
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
      request_key TEXT,
      steers TEXT,
      created_at TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX messages_of ON messages (conversation_id, id)`,
    `CREATE UNIQUE INDEX messages_request ON messages (request_key) WHERE request_key IS NOT NULL`,
    `CREATE TABLE approvals (
      id TEXT PRIMARY KEY,
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      run_ref TEXT NOT NULL,
      call_id TEXT NOT NULL,
      tool TEXT NOT NULL,
      summary TEXT NOT NULL,
      input TEXT NOT NULL,
      risk TEXT NOT NULL,
      status TEXT NOT NULL,
      reason TEXT,
      requested_at TEXT NOT NULL,
      expires_at TEXT NOT NULL,
      resolved_at TEXT,
      resolved_by TEXT
    ) STRICT`,
    `CREATE INDEX approvals_open ON approvals (status, expires_at)`,
    `CREATE INDEX approvals_of ON approvals (conversation_id, status)`,
    // A person's "always allow this tool in this conversation".
    `CREATE TABLE tool_grants (
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      tool TEXT NOT NULL,
      granted_at TEXT NOT NULL,
      PRIMARY KEY (conversation_id, tool)
    ) STRICT`,
    `CREATE TABLE todos (
      id TEXT PRIMARY KEY,
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      text TEXT NOT NULL,
      done INTEGER NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX todos_of ON todos (conversation_id, id)`,
  ],
}
