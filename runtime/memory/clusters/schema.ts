import { z } from 'zod'
import { Entity } from '../schema.ts'

export const ClusterQuery = z.object({
  n: z.coerce.number().int().min(2).max(8).default(4).meta({ description: 'Clusters to look for, 2 to 8' }),
  agent_id: z.string().optional(),
})
export type ClusterQuery = z.output<typeof ClusterQuery>

export const Cluster = z.object({
  id: z.string(),
  /** Words that tell it from the others. */
  label: z.string(),
  size: z.number().int(),
  topics: z.array(z.string()),
  entities: z.array(Entity),
  avg_importance: z.number(),
  /** The middle of its points. */
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

/** What is drawn; x and y are −1 to 1. */
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
  episodes_total: z.number().int(),
  episodes_embedded: z.number().int(),
  embeddings_installed: z.boolean(),
  repair_command: z.string(),
  visualization: z.object({ pack_id: z.string(), installed: z.boolean(), complete: z.boolean() }),
})
export type ClusterResponse = z.infer<typeof ClusterResponse>
