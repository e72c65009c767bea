import type { Migration } from './migration.ts'

export const scheduler: Migration = {
  version: 16,
  name: 'scheduler',
  statements: [
    // anchor_at is from when `every` counts; planned_at is when next_run_at was computed, so that a clock which
    // was ahead then is noticed. settings is JSON of everything that only a run reads.
    `CREATE TABLE scheduler_jobs (
      id TEXT PRIMARY KEY,
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
    ) STRICT`,
    `CREATE INDEX scheduler_jobs_due ON scheduler_jobs (status, next_run_at)`,
    `CREATE INDEX scheduler_jobs_planned ON scheduler_jobs (status, planned_at)`,
    `CREATE TABLE scheduler_runs (
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
      delivery_status TEXT NOT NULL,
      input_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL,
      cost_usd REAL NOT NULL,
      chain_run_id TEXT,
      created_at TEXT NOT NULL
    ) STRICT`,
    // A due time has one row and no second one, whoever notices it.
    `CREATE UNIQUE INDEX scheduler_runs_slot ON scheduler_runs (job_id, scheduled_for)
      WHERE trigger IN ('schedule', 'catchup')`,
    `CREATE INDEX scheduler_runs_of ON scheduler_runs (job_id, id)`,
    `CREATE INDEX scheduler_runs_open ON scheduler_runs (job_id, status) WHERE status IN ('queued', 'running')`,
    `CREATE INDEX scheduler_runs_ended ON scheduler_runs (completed_at)`,
    `CREATE INDEX scheduler_runs_made ON scheduler_runs (created_at)`,
    `CREATE TABLE scheduler_chains (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE scheduler_chain_jobs (
      chain_id TEXT NOT NULL REFERENCES scheduler_chains (id) ON DELETE CASCADE,
      job_id TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      PRIMARY KEY (chain_id, job_id)
    ) STRICT`,
    `CREATE TABLE scheduler_chain_edges (
      chain_id TEXT NOT NULL REFERENCES scheduler_chains (id) ON DELETE CASCADE,
      from_job TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
      to_job TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
      type TEXT NOT NULL,
      PRIMARY KEY (chain_id, from_job, to_job, type)
    ) STRICT`,
    `CREATE INDEX scheduler_chain_edges_from ON scheduler_chain_edges (from_job)`,
    `CREATE TABLE scheduler_chain_runs (
      id TEXT PRIMARY KEY,
      chain_id TEXT NOT NULL REFERENCES scheduler_chains (id) ON DELETE CASCADE,
      status TEXT NOT NULL,
      started_at TEXT NOT NULL,
      completed_at TEXT
    ) STRICT`,
    `CREATE INDEX scheduler_chain_runs_of ON scheduler_chain_runs (chain_id, id)`,
  ],
}
