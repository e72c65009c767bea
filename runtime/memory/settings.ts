import { z } from 'zod'
import { CronExpression } from '../schedules/schedule.ts'
import { subsetOf } from '../sections/merge.ts'
import { defineSection } from '../sections/section.ts'
import { dropNightly, queueIndex, queueRetention } from './work-store.ts'

/** The provider of embeddings. `local` is a bundled model, which needs no network. `none`: keyword search only. */
export const EmbeddingProvider = z.enum(['local', 'openai', 'google', 'mistral', 'ollama', 'none'])
export type EmbeddingProvider = z.infer<typeof EmbeddingProvider>

const fraction = z.number().min(0).max(1)

export const MemorySettings = z.object({
  enabled: z.boolean().meta({
    title: 'Memory',
    description: 'Off: nothing is stored or recalled; existing memories are kept',
  }),
  auto_capture: z.boolean().meta({
    title: 'Capture conversations',
    description: 'Stores facts from each chat automatically',
  }),
  recall_limit: z.int().min(0).max(50).meta({
    title: 'Memories per answer',
    description: 'Maximum; an agent can have a lower limit',
    unit: 'memories',
  }),
  min_score: fraction.meta({
    title: 'Minimum score',
    description: 'Memories with a lower score are not recalled; 0 to 1',
  }),
  half_life_days: z.int().min(1).max(3_650).meta({
    title: 'Half-life',
    description: 'Age at which the recency score is halved',
    unit: 'days',
  }),
  embedding: z
    .object({
      provider: EmbeddingProvider.meta({
        title: 'Provider',
        description: 'Local needs no network. None: keyword search only',
      }),
      model: z
        .string()
        .max(200)
        .nullable()
        .meta({ title: 'Model', description: 'Leave blank for the provider’s default' }),
    })
    .meta({
      title: 'Embeddings',
      description: 'Find memories by meaning and not only by keywords',
    }),
  consolidation: z
    .object({
      enabled: z.boolean().meta({ title: 'Automatic' }),
      cron: CronExpression.meta({
        title: 'Schedule',
        description: 'A cron expression, in your profile’s time zone',
      }),
      max_calls_per_run: z.int().min(1).max(10_000).meta({
        title: 'Model calls per run',
        description: 'Maximum; each call reads five memories',
      }),
    })
    .meta({ title: 'Consolidation', description: 'Extracts facts from new memories' }),
  retention: z
    .object({
      max_episodes: z.int().min(1).nullable().meta({
        title: 'Maximum memories',
        description: 'The least important are deleted first. Leave blank for no limit',
      }),
      max_age_days: z.int().min(1).nullable().meta({
        title: 'Maximum age',
        description: 'Leave blank for no limit',
        unit: 'days',
      }),
      delete_below_importance: fraction.nullable().meta({
        title: 'Minimum importance',
        description: 'Less important memories are deleted, from 0 to 1. Leave blank for no limit',
      }),
    })
    .meta({
      title: 'Retention',
      description: 'Deletes memories automatically; they can be restored for 30 days',
    }),
  dedupe_threshold: fraction.meta({
    title: 'Duplicate threshold',
    description: 'A new memory this similar to an existing one is not stored; 0 to 1',
  }),
  redact_secrets: z.boolean().meta({
    title: 'Redact secrets',
    description: 'Keys and passwords are not stored',
  }),
  share_between_agents: z.boolean().meta({
    title: 'Share between agents',
    description: 'Agents with shared memory see each other’s memories',
  }),
})
export type MemorySettings = z.output<typeof MemorySettings>

export const MemoryChange = subsetOf(MemorySettings)
export type MemoryChange = z.output<typeof MemoryChange>

export const memorySettings = defineSection({
  name: 'memory',
  title: 'the settings of memory',
  schema: MemorySettings,
  defaults: (): MemorySettings => ({
    enabled: true,
    auto_capture: true,
    recall_limit: 5,
    min_score: 0.3,
    half_life_days: 30,
    embedding: { provider: 'local', model: null },
    consolidation: { enabled: true, cron: '0 4 * * *', max_calls_per_run: 20 },
    retention: { max_episodes: null, max_age_days: null, delete_below_importance: null },
    dedupe_threshold: 0.95,
    redact_secrets: true,
    share_between_agents: true,
  }),
  // Another model needs other vectors, and other rules delete other episodes.
  also: (_, host) => [dropNightly(), queueIndex(host), queueRetention(host, host.clock.now())],
})
