import type { Migration } from './migration.ts'

export const schedulerChains: Migration = {
  version: 19,
  name: 'scheduler chains',
  statements: [
    `ALTER TABLE scheduler_runs ADD COLUMN delivery_attempts INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE scheduler_runs ADD COLUMN delivery_error TEXT`,
    `ALTER TABLE scheduler_runs ADD COLUMN delivered_at TEXT`,
    // For the calendar, which shows a due time where it was due, whenever its row was made.
    `CREATE INDEX scheduler_runs_planned ON scheduler_runs (scheduled_for)`,
    // What a job remembers between its runs: the state of a file, the conversation that its results go to.
    `CREATE TABLE scheduler_marks (
      job_id TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (job_id, name)
    ) STRICT`,
    `ALTER TABLE scheduler_chains ADD COLUMN on_schedule INTEGER NOT NULL DEFAULT 1`,
    // One row for each job of a chain that has begun, or that is not to begin, in one run of the chain.
    `CREATE TABLE scheduler_chain_steps (
      chain_run_id TEXT NOT NULL REFERENCES scheduler_chain_runs (id) ON DELETE CASCADE,
      job_id TEXT NOT NULL REFERENCES scheduler_jobs (id) ON DELETE CASCADE,
      run_id TEXT,
      status TEXT NOT NULL,
      PRIMARY KEY (chain_run_id, job_id)
    ) STRICT`,
    `CREATE INDEX scheduler_chain_steps_run ON scheduler_chain_steps (run_id) WHERE run_id IS NOT NULL`,
    `CREATE INDEX scheduler_chain_jobs_of ON scheduler_chain_jobs (job_id)`,
    `CREATE INDEX scheduler_chain_runs_open ON scheduler_chain_runs (chain_id) WHERE completed_at IS NULL`,
  ],
}
