import type { Migration } from './migration.ts'

export const providers: Migration = {
  version: 4,
  name: 'providers',
  statements: [
    `CREATE TABLE providers (
      id TEXT PRIMARY KEY,
      sealed_key TEXT,
      key_hint TEXT,
      base_url TEXT,
      default_model TEXT,
      models TEXT NOT NULL DEFAULT '[]',
      models_at TEXT,
      last_test TEXT,
      cooldown_until TEXT,
      updated_at TEXT NOT NULL
    ) STRICT`,
  ],
}
