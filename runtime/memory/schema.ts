import { z } from 'zod'
import { pageQuery } from '../http/page.ts'

/** Whose word it is: the owner's, an agent's, or that of a page, a channel or a stranger. */
export const Trust = z.enum(['owner', 'agent', 'external'])
export type Trust = z.infer<typeof Trust>

export const Provenance = z.object({
  conversation_id: z.string().nullable(),
  message_id: z.string().nullable(),
  channel: z.string().nullable(),
  url: z.string().nullable(),
})
export type Provenance = z.infer<typeof Provenance>

export const EntityType = z.enum([
  'person',
  'organization',
  'place',
  'product',
  'concept',
  'event',
  'project',
  'file',
  'url',
  'other',
])
export type EntityType = z.infer<typeof EntityType>

export const Entity = z.object({
  id: z.string(),
  name: z.string(),
  type: EntityType,
  mentions: z.number().int(),
})
export type Entity = z.infer<typeof Entity>

/** Characters of one episode. */
export const contentLimit = 32_768

const fields = {
  content: z
    .string()
    .max(contentLimit)
    .refine((text) => text.trim() !== '', 'must not be empty'),
  summary: z.string().max(2_000).nullable(),
  /** Feeling: −1 bad, 0 neutral, 1 good. */
  valence: z.number().min(-1).max(1),
  importance: z.number().min(0).max(1),
  topics: z.array(z.string().trim().min(1).max(100)).max(50),
  /** Null belongs to no agent, so every agent sees it. */
  agent_id: z.string().min(1).max(64).nullable(),
}

export const Episode = z.object({
  id: z.string(),
  ...fields,
  /** What made it: `manual`, `conversation`, `task`, `insight` … */
  source: z.string(),
  access_count: z.number().int(),
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

/** Any ISO 8601 moment, or a day, which begins or ends in UTC; kept as the stored form of times. */
export const moment = (ofDay: 'T00:00:00.000Z' | 'T23:59:59.999Z') =>
  z
    .union(
      [z.iso.datetime({ offset: true, local: true }), z.iso.date()],
      'must be an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T09:00:00Z',
    )
    .transform((text) => (wholeDay.test(text) ? text + ofDay : withZone(text)))
    .transform((text) => stored(new Date(text)))

/** Stored times are compared as texts, which goes wrong for a year of more than four digits. */
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
    .string('is needed')
    .max(10_000)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => !text.includes('\0'), 'must not hold the character U+0000'),
  mode: SearchMode.default('hybrid'),
  start_date: moment('T00:00:00.000Z').optional(),
  end_date: moment('T23:59:59.999Z').optional(),
  source: z.string().optional(),
  agent_id: z.string().optional(),
})

export const FoundEpisode = Episode.extend({ entities: z.array(Entity) })

/** One episode with all that is known of it. */
export const EpisodeDetail = FoundEpisode.extend({
  /** What was answered, for an episode that keeps an exchange; else empty. */
  reply: z.string(),
  /** How often it was recalled into a prompt, and what came of it. */
  feedback: z.object({ recalled: z.number().int(), used: z.number().int(), ignored: z.number().int() }),
})
export type EpisodeDetail = z.infer<typeof EpisodeDetail>

export const SearchResult = z.object({
  episode: FoundEpisode,
  /** 0 to 1; the best match of a search is near 1. */
  score: z.number(),
  source: z.enum(['keyword', 'semantic', 'both']),
  /** Fragments of HTML in which only `<mark>` is markup. */
  highlights: z.array(z.string()),
})
export type SearchResult = z.infer<typeof SearchResult>

export const SearchResponse = z.object({
  query: z.string(),
  /** How the search was made, which is not what was asked for when `degraded` says why. */
  mode: SearchMode,
  /** `loading`: the model or its index was not in memory yet; `incomplete`: some episodes are not embedded yet. */
  degraded: z.enum(['embeddings_unavailable', 'embeddings_loading', 'embeddings_incomplete']).optional(),
  limit: z.number().int(),
  offset: z.number().int(),
  results: z.array(SearchResult),
  total: z.number().int(),
})
export type SearchResponse = z.infer<typeof SearchResponse>

export const MemoryStats = z.object({
  total_episodes: z.number().int(),
  total_entities: z.number().int(),
  total_relations: z.number().int(),
  avg_importance: z.number(),
  avg_valence: z.number(),
  /** Episodes with an importance of 0 to 0.1, 0.1 to 0.2 … 0.9 to 1. */
  importance_distribution: z.array(z.number().int()).length(10),
  source_distribution: z.record(z.string(), z.number().int()),
  entity_type_distribution: z.record(z.string(), z.number().int()),
  recall_feedback: z.object({
    total_recalls: z.number().int(),
    used_count: z.number().int(),
    ignored_count: z.number().int(),
    usage_rate: z.number(),
  }),
})
export type MemoryStats = z.infer<typeof MemoryStats>
