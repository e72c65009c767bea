import { z } from 'zod'
import { pageQuery } from '../../http/page.ts'
import { Entity, EntityType, Episode, moment } from '../schema.ts'

export const GraphEdge = z.object({
  id: z.string(),
  source: z.string(),
  target: z.string(),
  /** What kind of fact: `works_at`, `lives_in`, `likes` … */
  type: z.string(),
  /** The fact as a sentence. */
  fact: z.string(),
  /** Episodes that say so. */
  weight: z.number().int(),
  episode_ids: z.array(z.string()),
  valid_at: z.string(),
  /** When it ended; null while it holds. */
  invalid_at: z.string().nullable(),
})
export type GraphEdge = z.infer<typeof GraphEdge>

export const Graph = z.object({
  nodes: z.array(Entity),
  /** Only between the nodes that are shown. */
  edges: z.array(GraphEdge),
  total_nodes: z.number().int(),
  total_edges: z.number().int(),
  truncated: z.boolean(),
  /** When the first and the last fact began, whatever time is asked for; null without facts. */
  first_valid_at: z.string().nullable(),
  last_valid_at: z.string().nullable(),
})
export type Graph = z.infer<typeof Graph>

export const GraphQuery = z.object({
  /** Only what the episodes of this agent say. */
  agent_id: z.string().min(1).max(64).optional(),
  type: EntityType.optional(),
  /** Part of a name. */
  q: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200).meta({ description: '1 to 1000' }),
  /** What held at this time, and what was spoken of by then; without it ended facts are shown too. */
  at: moment('T23:59:59.999Z').optional(),
})
export type GraphQuery = z.output<typeof GraphQuery>

export const EntityEpisodesQuery = pageQuery(20, 100)

/** The episodes that mention an entity, the newest first. */
export const EntityEpisodes = z.object({
  entity: Entity,
  episodes: z.array(Episode),
  total: z.number().int(),
  limit: z.number().int(),
  offset: z.number().int(),
})
export type EntityEpisodes = z.infer<typeof EntityEpisodes>
