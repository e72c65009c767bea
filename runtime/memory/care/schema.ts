import { z } from 'zod'
import { contentLimit, Episode, NewEpisode, Provenance, Trust } from '../schema.ts'

/** An episode with what is not shown of it. */
export const WholeEpisode = Episode.omit({ cluster_id: true }).extend({
  reply: z.string(),
  position: z.number().int().nullable(),
})
export type WholeEpisode = z.infer<typeof WholeEpisode>

export const Change = z.enum(['updated', 'deleted', 'restored'])
export type Change = z.infer<typeof Change>

/** What an episode was before a change. */
export const EpisodeVersion = z.object({
  version: z.number().int(),
  /** What ended this version. */
  change: Change,
  changed_at: z.string(),
  /** Who did it: the name of a key or a device, or `hearthd` itself. */
  changed_by: z.string(),
  episode: WholeEpisode,
})
export type EpisodeVersion = z.infer<typeof EpisodeVersion>

export const EpisodeHistory = z.object({
  episode_id: z.string(),
  /** As it is now; null when it was deleted. */
  current: Episode.nullable(),
  /** The latest first. */
  versions: z.array(EpisodeVersion),
})

/** Without a version the latest is restored. */
export const RestoreRequest = z.object({ version: z.number().int().min(1).optional() })

export const Feedback = z.object({
  episode_id: z.string(),
  recalled: z.number().int(),
  used: z.number().int(),
  ignored: z.number().int(),
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

/** An episode of an export file. What another program wrote may be shorter. */
export const ImportedEpisode = NewEpisode.extend({
  id: z
    .string()
    .regex(/^ep_[0-9A-Za-z_-]{1,64}$/, 'must be the id of an episode')
    .optional(),
  source: z.string().min(1).max(64).default('import'),
  trust: Trust.default('owner'),
  provenance: Provenance.nullable().default(null),
  reply: z.string().max(contentLimit).default(''),
  position: z.number().int().min(0).nullable().default(null),
  access_count: z.number().int().min(0).default(0),
  created_at: z.iso.datetime({ offset: true }).optional(),
})
export type ImportedEpisode = z.output<typeof ImportedEpisode>

export const ImportResult = z.object({
  imported: z.number().int(),
  /** They were there already. */
  skipped: z.number().int(),
  invalid: z.array(z.object({ index: z.number().int(), message: z.string() })),
  dry_run: z.boolean(),
})
export type ImportResult = z.infer<typeof ImportResult>
