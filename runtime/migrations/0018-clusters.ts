import type { Migration } from './migration.ts'

export const clusters: Migration = {
  version: 18,
  name: 'clusters',
  statements: [
    // Maps of memory as they were last drawn. scope is an agent, or empty for all; version is what they were drawn from.
    `CREATE TABLE memory_maps (
      scope TEXT NOT NULL, clusters INTEGER NOT NULL, version TEXT NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (scope, clusters)) STRICT`,
    `CREATE TABLE episode_clusters (
      episode_id TEXT NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
      cluster_id TEXT NOT NULL,
      scope TEXT NOT NULL,
      clusters INTEGER NOT NULL,
      PRIMARY KEY (episode_id, cluster_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX episode_clusters_of ON episode_clusters (cluster_id)`,
    `CREATE INDEX episode_clusters_map ON episode_clusters (scope, clusters)`,
  ],
}
