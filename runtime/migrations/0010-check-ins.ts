import type { Migration } from './migration.ts'

export const checkIns: Migration = {
  version: 10,
  name: 'check-ins',
  statements: [
    // message_id is the answer that delivers it, once it is due.
    `CREATE TABLE check_ins (
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
    ) STRICT`,
    // How often a conversation has waited since a person last spoke in it.
    `ALTER TABLE conversations ADD COLUMN check_ins_armed INTEGER NOT NULL DEFAULT 0`,
    `CREATE INDEX check_ins_of ON check_ins (conversation_id, due_at)`,
    `CREATE INDEX check_ins_message ON check_ins (message_id) WHERE message_id IS NOT NULL`,
  ],
}
