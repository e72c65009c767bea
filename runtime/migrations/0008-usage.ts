import type { Migration } from './migration.ts'

/** The ledger of model calls, budgets over it, and what is known of the vendors' limits, cooldowns and prices. */
export const usage: Migration = {
  version: 8,
  name: 'usage',
  statements: [
    // One row per call that was sent. While status is reserved the reserved amounts count, afterwards the real ones.
    `CREATE TABLE model_calls (
      id TEXT PRIMARY KEY,
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
      cost_usd REAL NOT NULL DEFAULT 0,
      estimated INTEGER NOT NULL DEFAULT 0,
      error TEXT,
      owner TEXT NOT NULL,
      expires_at TEXT NOT NULL,
      settled_at TEXT
    ) STRICT`,
    `CREATE INDEX model_calls_at ON model_calls (at)`,
    `CREATE INDEX model_calls_provider ON model_calls (provider, at)`,
    `CREATE INDEX model_calls_agent ON model_calls (agent_id, at)`,
    `CREATE INDEX model_calls_conversation ON model_calls (conversation_id, at)`,
    `CREATE INDEX model_calls_run ON model_calls (run_ref)`,
    `CREATE INDEX model_calls_open ON model_calls (expires_at) WHERE status = 'reserved'`,
    // What was spent before there was a ledger, as far as the answers remember it.
    `INSERT INTO model_calls (id, at, status, category, provider, model, agent_id, conversation_id, message_id, run_ref,
        project_id, reserved_tokens, reserved_usd, input_tokens, output_tokens, cost_usd, owner, expires_at, settled_at)
      SELECT 'call_' || substr(messages.id, 5), messages.created_at, 'succeeded',
        CASE conversations.kind WHEN 'scheduled' THEN 'scheduled' WHEN 'internal' THEN 'internal'
          WHEN 'loop' THEN 'loops' ELSE 'chat' END,
        coalesce(messages.provider, 'offline'), coalesce(messages.model, 'offline'), conversations.agent_id,
        conversations.id, messages.id, messages.id, conversations.project_id, 0, 0, messages.input_tokens,
        messages.output_tokens, messages.cost_usd, '', messages.created_at, messages.created_at
      FROM messages JOIN conversations ON conversations.id = messages.conversation_id
      WHERE messages.role = 'assistant' AND messages.input_tokens + messages.output_tokens > 0`,
    // Usage asks which conversations had a message in a window.
    `CREATE INDEX messages_at ON messages (created_at, conversation_id)`,
    // base_usd and base_tokens are the sums of the ledger from the window's beginning, base_key, until base_until.
    `CREATE TABLE budgets (
      id TEXT PRIMARY KEY,
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
    ) STRICT`,
    // five_hour and seven_day hold the vendor's last words as JSON {utilization, resets_at}.
    `CREATE TABLE provider_limits (
      provider TEXT PRIMARY KEY,
      five_hour TEXT,
      seven_day TEXT,
      hard_limit_until TEXT,
      read_at TEXT,
      five_hour_allowance INTEGER,
      seven_day_allowance INTEGER,
      failed_over_at TEXT
    ) STRICT`,
    // model is * for all models of the provider.
    `CREATE TABLE model_cooldowns (
      provider TEXT NOT NULL,
      model TEXT NOT NULL,
      until TEXT NOT NULL,
      code TEXT NOT NULL,
      strikes INTEGER NOT NULL,
      asked INTEGER NOT NULL,
      PRIMARY KEY (provider, model)
    ) STRICT`,
    // USD per million tokens, set by a person; they win over the catalogue.
    `CREATE TABLE model_prices (
      provider TEXT NOT NULL,
      model TEXT NOT NULL,
      input_usd_per_mtok REAL NOT NULL,
      output_usd_per_mtok REAL NOT NULL,
      updated_at TEXT NOT NULL,
      PRIMARY KEY (provider, model)
    ) STRICT`,
  ],
}
