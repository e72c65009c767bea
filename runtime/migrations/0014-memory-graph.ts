import type { Migration } from './migration.ts'

/** When a fact ends: when its text says so, or when the next of the same kind about the same subject begins. */
const ends = `nullif(min(coalesce(relations.ended_at, '~'), coalesce((
    SELECT min(later.valid_at) FROM relations AS later
    WHERE later.source = relations.source AND later.type = relations.type AND later.target <> relations.target
      AND later.external <= relations.external
      AND (later.valid_at, later.rowid) > (relations.valid_at, relations.rowid)), '~')), '~')`

export const memoryGraph: Migration = {
  version: 14,
  name: 'memory graph',
  statements: [
    // One graph is live, one may be in the making, and three that were live are kept.
    `CREATE TABLE graphs (id INTEGER PRIMARY KEY, state TEXT NOT NULL, kept_at TEXT) STRICT`,
    `CREATE UNIQUE INDEX graphs_state ON graphs (state) WHERE state <> 'kept'`,
    `INSERT INTO graphs (id, state) VALUES (1, 'live')`,
    // mentions is the sum of those of its episodes, kept by triggers; since is the time of the first episode.
    `CREATE TABLE entities (
      rowid INTEGER PRIMARY KEY,
      graph INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      name TEXT NOT NULL,
      key TEXT NOT NULL,
      type TEXT NOT NULL,
      mentions INTEGER NOT NULL DEFAULT 0,
      since TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT`,
    `CREATE UNIQUE INDEX entities_key ON entities (graph, key)`,
    `CREATE UNIQUE INDEX entities_id ON entities (graph, id)`,
    `CREATE INDEX entities_known ON entities (graph, mentions DESC, id)`,
    `CREATE INDEX entities_type ON entities (graph, type, mentions DESC, id)`,
    `CREATE TABLE episode_entities (
      episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
      entity INTEGER NOT NULL REFERENCES entities (rowid) ON DELETE CASCADE,
      mentions INTEGER NOT NULL,
      PRIMARY KEY (episode_id, entity)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX episode_entities_of ON episode_entities (entity)`,
    // exclusive: of these a subject has one at a time. ended_at is what a text says, invalid_at what follows from all.
    // external: nobody but strangers says so.
    `CREATE TABLE relations (
      rowid INTEGER PRIMARY KEY,
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
    ) STRICT`,
    `CREATE UNIQUE INDEX relations_id ON relations (graph, id)`,
    `CREATE INDEX relations_source ON relations (source, type)`,
    `CREATE INDEX relations_target ON relations (target)`,
    `CREATE TABLE relation_episodes (
      relation INTEGER NOT NULL REFERENCES relations (rowid) ON DELETE CASCADE,
      episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
      PRIMARY KEY (relation, episode_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX relation_episodes_of ON relation_episodes (episode_id)`,
    // What was read, when the episode was last changed before that, and by which means. reading: mentions or facts.
    `CREATE TABLE extractions (
      graph INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
      episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
      reading TEXT NOT NULL,
      method TEXT NOT NULL,
      hash TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      at TEXT NOT NULL,
      PRIMARY KEY (graph, episode_id, reading)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX extractions_of ON extractions (episode_id)`,
    `CREATE TRIGGER mention_added AFTER INSERT ON episode_entities BEGIN
      UPDATE entities SET mentions = mentions + new.mentions WHERE rowid = new.entity;
    END`,
    `CREATE TRIGGER mention_changed AFTER UPDATE OF mentions ON episode_entities BEGIN
      UPDATE entities SET mentions = mentions + new.mentions - old.mentions WHERE rowid = new.entity;
    END`,
    // Nothing speaks of it any more.
    `CREATE TRIGGER mention_removed AFTER DELETE ON episode_entities BEGIN
      UPDATE entities SET mentions = mentions - old.mentions WHERE rowid = old.entity;
      DELETE FROM entities WHERE rowid = old.entity AND mentions <= 0;
    END`,
    `CREATE TRIGGER evidence_removed AFTER DELETE ON relation_episodes BEGIN
      DELETE FROM relations WHERE rowid = old.relation
        AND NOT EXISTS (SELECT 1 FROM relation_episodes WHERE relation = old.relation);
    END`,
    `CREATE TRIGGER fact_added AFTER INSERT ON relations WHEN new.exclusive = 1 BEGIN
      UPDATE relations SET invalid_at = ${ends} WHERE source = new.source AND type = new.type;
    END`,
    `CREATE TRIGGER fact_changed AFTER UPDATE OF valid_at, ended_at, external ON relations WHEN new.exclusive = 1 BEGIN
      UPDATE relations SET invalid_at = ${ends} WHERE source = new.source AND type = new.type;
    END`,
    // What it had closed is open again.
    `CREATE TRIGGER fact_removed AFTER DELETE ON relations WHEN old.exclusive = 1 BEGIN
      UPDATE relations SET invalid_at = ${ends} WHERE source = old.source AND type = old.type;
    END`,
  ],
}
