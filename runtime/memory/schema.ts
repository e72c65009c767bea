import { z } from 'zod'
import { EntityType } from '../english/entity-type.ts'
import { pageQuery } from '../http/page.ts'
import { reference } from '../references.ts'
import { Trust } from '../trust.ts'

export const Provenance = z.object({
  conversation_id: z.string().nullable(),
  message_id: z.string().nullable(),
  channel: z.string().nullable(),
  url: z.string().nullable(),
})
export type Provenance = z.infer<typeof Provenance>

export const Entity = z.object({
  id: z.string(),
  name: z.string(),
  type: EntityType,
  mentions: z.int(),
})
export type Entity = z.infer<typeof Entity>

/** Maximum length of one episode in characters. */
export const contentLimit = 32_768

const fields = {
  content: z
    .string()
    .max(contentLimit)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .meta({ title: 'Content', format: 'multiline' }),
  summary: z
    .string()
    .max(2_000)
    .nullable()
    .meta({
      title: 'Summary',
      description: 'Shown in lists instead of the content. Optional',
      labels: { null: '' },
    }),
  /** Sentiment: −1 negative, 0 neutral, 1 positive. */
  valence: z.number().min(-1).max(1).meta({ title: 'Sentiment', step: 0.05 }),
  importance: z.number().min(0).max(1).meta({ title: 'Importance', step: 0.05 }),
  topics: z
    .array(z.string().trim().min(1).max(100))
    .max(50)
    .meta({ title: 'Topics', description: 'Press Enter to add one', format: 'tags' }),
  /** Null: belongs to no agent and is visible to all. */
  agent_id: reference('agent', 64)
    .min(1)
    .nullable()
    .meta({ title: 'Agent', description: 'Who can recall it', labels: { null: 'All agents' } }),
}

export const Episode = z.object({
  id: z.string(),
  ...fields,
  /** How it was created: `manual`, `conversation`, `task`, `insight` … */
  source: z.string(),
  access_count: z.int(),
  provenance: Provenance.nullable(),
  trust: Trust,
  cluster_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Episode = z.infer<typeof Episode>

export const NewEpisode = z.object({
  content: fields.content,
  summary: fields.summary.default(null),
  valence: fields.valence.default(0),
  importance: fields.importance.default(0.5),
  topics: fields.topics.default([]),
  agent_id: fields.agent_id.default(null),
})
export type NewEpisode = z.output<typeof NewEpisode>

export const EpisodeChanges = z.object(fields).partial()
export type EpisodeChanges = z.infer<typeof EpisodeChanges>

export const SearchMode = z.enum(['hybrid', 'keyword', 'semantic'])
export type SearchMode = z.infer<typeof SearchMode>

const wholeDay = /^\d{4}-\d{2}-\d{2}$/

/** An ISO 8601 time or a day, which starts or ends in UTC. The output has the stored form of times. */
export const moment = (ofDay: 'T00:00:00.000Z' | 'T23:59:59.999Z') =>
  z
    .union(
      [z.iso.datetime({ offset: true, local: true }), z.iso.date()],
      'must be an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T09:00:00Z',
    )
    .transform((text) => (wholeDay.test(text) ? text + ofDay : withZone(text)))
    .transform((text) => stored(new Date(text)))

/** Stored times are compared as strings, which fails for years of more than four digits. */
const stored = (time: Date): string => {
  const text = time.toISOString()
  return text.startsWith('+') ? '9999-12-31T23:59:59.999Z' : text
}

const withZone = (text: string): string => (/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)

export const EpisodeQuery = pageQuery(20, 100).extend({
  cluster_id: z.string().optional(),
  agent_id: z.string().optional(),
  source: z.string().optional(),
  start_date: moment('T00:00:00.000Z').optional(),
  end_date: moment('T23:59:59.999Z').optional(),
})
export type EpisodeQuery = z.output<typeof EpisodeQuery>

export const SearchQuery = pageQuery(10, 100).extend({
  q: z
    .string('is required')
    .max(10_000)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => !text.includes('\0'), 'must not contain the character U+0000'),
  mode: SearchMode.default('hybrid'),
  start_date: moment('T00:00:00.000Z').optional(),
  end_date: moment('T23:59:59.999Z').optional(),
  source: z.string().optional(),
  agent_id: z.string().optional(),
})

export const EpisodeWithEntities = Episode.extend({ entities: z.array(Entity) })

/** One episode with its reply, entities and recall counts. */
export const EpisodeDetail = EpisodeWithEntities.extend({
  /** The assistant's reply, for an episode made of an exchange; otherwise empty. */
  reply: z.string(),
  /** How often it was recalled into a prompt, and how often the answer used it. */
  feedback: z.object({ recalled: z.int(), used: z.int(), ignored: z.int() }),
})
export type EpisodeDetail = z.infer<typeof EpisodeDetail>

export const SearchResult = z.object({
  episode: EpisodeWithEntities,
  /** 0 to 1; the best match is close to 1. */
  score: z.number(),
  source: z.enum(['keyword', 'semantic', 'both']),
  /** HTML fragments in which `<mark>` is the only markup. */
  highlights: z.array(z.string()),
})
export type SearchResult = z.infer<typeof SearchResult>

export const SearchResponse = z.object({
  query: z.string(),
  /** The mode that was used. It differs from the requested one if `degraded` is set. */
  mode: SearchMode,
  /** `loading`: the model or its index is not in memory yet. `incomplete`: some episodes are not embedded yet. */
  degraded: z.enum(['embeddings_unavailable', 'embeddings_loading', 'embeddings_incomplete']).optional(),
  limit: z.int(),
  offset: z.int(),
  results: z.array(SearchResult),
  total: z.int(),
})
export type SearchResponse = z.infer<typeof SearchResponse>

export const MemoryStats = z.object({
  total_episodes: z.int(),
  total_entities: z.int(),
  total_relations: z.int(),
  avg_importance: z.number(),
  avg_valence: z.number(),
  /** Number of episodes with an importance of 0–0.1, 0.1–0.2 … 0.9–1. */
  importance_distribution: z.array(z.int()).length(10),
  source_distribution: z.record(z.string(), z.int()),
  entity_type_distribution: z.record(z.string(), z.int()),
  recall_feedback: z.object({
    total_recalls: z.int(),
    used_count: z.int(),
    ignored_count: z.int(),
    usage_rate: z.number(),
  }),
})
export type MemoryStats = z.infer<typeof MemoryStats>

// History, export and import

/** An episode with its reply and its position, which the API does not show. */
export const WholeEpisode = Episode.omit({ cluster_id: true }).extend({
  reply: z.string(),
  position: z.int().nullable(),
})
export type WholeEpisode = z.infer<typeof WholeEpisode>

export const Change = z.enum(['updated', 'deleted', 'restored'])
export type Change = z.infer<typeof Change>

/** An earlier version of an episode. */
export const EpisodeVersion = z.object({
  version: z.int(),
  /** The change that replaced this version. */
  change: Change,
  changed_at: z.string(),
  /** The name of the key or device, or `hearthd`. */
  changed_by: z.string(),
  episode: WholeEpisode,
})
export type EpisodeVersion = z.infer<typeof EpisodeVersion>

export const EpisodeHistory = z.object({
  episode_id: z.string(),
  /** Null if the episode was deleted. */
  current: Episode.nullable(),
  /** Newest first. */
  versions: z.array(EpisodeVersion),
})

/** Without `version` the latest version is restored. */
export const RestoreRequest = z.object({ version: z.int().min(1).optional() })

export const Feedback = z.object({
  episode_id: z.string(),
  recalled: z.int(),
  used: z.int(),
  ignored: z.int(),
})

export const Related = z.object({
  episode_id: z.string(),
  related: z.array(
    z.object({
      episode: Episode,
      score: z.number(),
      reason: z.enum(['semantic', 'entity', 'topic', 'temporal']),
    }),
  ),
})
export type Related = z.infer<typeof Related>

/** An episode of an export file. Files of other programs may leave fields out. */
export const ImportedEpisode = NewEpisode.extend({
  id: z
    .string()
    .regex(/^ep_[0-9A-Za-z_-]{1,64}$/, 'must be an episode id')
    .optional(),
  source: z.string().min(1).max(64).default('import'),
  trust: Trust.default('owner'),
  provenance: Provenance.nullable().default(null),
  reply: z.string().max(contentLimit).default(''),
  position: z.int().min(0).nullable().default(null),
  access_count: z.int().min(0).default(0),
  created_at: z.iso.datetime({ offset: true }).optional(),
})
export type ImportedEpisode = z.output<typeof ImportedEpisode>

export const ImportResult = z.object({
  imported: z.int(),
  /** Already stored. */
  skipped: z.int(),
  invalid: z.array(z.object({ index: z.int(), message: z.string() })),
  dry_run: z.boolean(),
})
export type ImportResult = z.infer<typeof ImportResult>

// Graph

export const GraphEdge = z.object({
  id: z.string(),
  source: z.string(),
  target: z.string(),
  /** The predicate: `works_at`, `lives_in`, `likes` … */
  type: z.string(),
  /** The fact as a sentence. */
  fact: z.string(),
  /** Number of episodes that state the fact. */
  weight: z.int(),
  episode_ids: z.array(z.string()),
  valid_at: z.string(),
  /** Null while the fact holds. */
  invalid_at: z.string().nullable(),
})
export type GraphEdge = z.infer<typeof GraphEdge>

export const Graph = z.object({
  nodes: z.array(Entity),
  /** Only edges between the returned nodes. */
  edges: z.array(GraphEdge),
  total_nodes: z.int(),
  total_edges: z.int(),
  truncated: z.boolean(),
  /** Start of the earliest and of the latest fact, regardless of `at`; null if there are no facts. */
  first_valid_at: z.string().nullable(),
  last_valid_at: z.string().nullable(),
})
export type Graph = z.infer<typeof Graph>

export const GraphQuery = z.object({
  /** Only facts and entities from this agent's episodes. */
  agent_id: z.string().min(1).max(64).optional(),
  type: EntityType.optional(),
  /** Substring of the entity's name. */
  q: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200).meta({ description: '1 to 1000' }),
  /** Facts that held at this time and entities known by then. Without `at`, ended facts are included. */
  at: moment('T23:59:59.999Z').optional(),
})
export type GraphQuery = z.output<typeof GraphQuery>

export const EntityEpisodesQuery = pageQuery(20, 100)

/** The episodes that mention an entity, newest first. */
export const EntityEpisodes = z.object({
  entity: Entity,
  episodes: z.array(Episode),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
})
export type EntityEpisodes = z.infer<typeof EntityEpisodes>

// Map

export const ClusterQuery = z.object({
  n: z.coerce.number().int().min(2).max(8).default(4).meta({ description: 'Number of clusters, 2 to 8' }),
  agent_id: z.string().optional(),
})
export type ClusterQuery = z.output<typeof ClusterQuery>

export const Cluster = z.object({
  id: z.string(),
  /** The words that distinguish it from the other clusters. */
  label: z.string(),
  size: z.int(),
  topics: z.array(z.string()),
  entities: z.array(Entity),
  avg_importance: z.number(),
  /** The mean of its points. */
  position: z.tuple([z.number(), z.number()]),
  episode_ids: z.array(z.string()),
})
export type Cluster = z.infer<typeof Cluster>

export const Point = z.object({
  episode_id: z.string(),
  x: z.number(),
  y: z.number(),
  cluster_id: z.string(),
})

/** The map of memory. x and y are −1 to 1. */
export const MemoryMap = z.object({ clusters: z.array(Cluster), points: z.array(Point) })
export type MemoryMap = z.infer<typeof MemoryMap>

export const EmptyReason = z.enum([
  'no_episodes',
  'embeddings_unavailable',
  'visualization_unavailable',
  'missing_embeddings',
  'too_few_embeddings',
])
export type EmptyReason = z.infer<typeof EmptyReason>

export const ClusterResponse = MemoryMap.extend({
  empty_reason: EmptyReason.nullable(),
  episodes_total: z.int(),
  episodes_embedded: z.int(),
  embeddings_installed: z.boolean(),
  repair_command: z.string(),
  visualization: z.object({ pack_id: z.string(), installed: z.boolean(), complete: z.boolean() }),
})
export type ClusterResponse = z.infer<typeof ClusterResponse>

// Jobs

export const JobKind = z.enum(['generate', 'consolidate'])
export type JobKind = z.infer<typeof JobKind>

export const MemoryJob = z.object({
  id: z.string(),
  kind: JobKind,
  /** Limits the job to the episodes or conversations of this agent. */
  agent_id: z.string().nullable(),
  params: z.record(z.string(), z.unknown()),
  status: z.enum(['running', 'done', 'error']),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  progress: z.object({ phase: z.string(), done: z.int(), total: z.int() }),
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
})
export type MemoryJob = z.infer<typeof MemoryJob>

export const JobAnswer = z.object({ job: MemoryJob })
export const JobOrNone = z.object({ job: MemoryJob.nullable() })

const agent_id = reference('agent', 64).min(1).optional()

export const GenerateRequest = z.object({ agent_id })

export const ConsolidateRequest = z.object({
  agent_id,
  /** Rebuilds the graph from scratch. `POST /api/memory/undo` restores the previous graph. */
  wipe: z.boolean().default(false),
})

export const BackfillRequest = z.object({
  agent_id,
  /** Maximum number of episodes. Default: all that were not read yet. */
  limit: z.int().min(1).max(1_000_000).optional(),
  /** Also re-reads episodes that were read before. */
  force: z.boolean().default(false),
})

/** The task of a job. It is stored with the unit of work, so that any daemon can run it. */
export const JobOrder = z.discriminatedUnion('task', [
  GenerateRequest.extend({ task: z.literal('generate') }),
  ConsolidateRequest.extend({ task: z.literal('consolidate') }),
  BackfillRequest.extend({ task: z.literal('backfill') }),
])
export type JobOrder = z.output<typeof JobOrder>
export type OrderOf<Task extends JobOrder['task']> = Extract<JobOrder, { task: Task }>
