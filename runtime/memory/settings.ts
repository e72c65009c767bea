import { z } from 'zod'
import { type Section, subsetOf } from '../settings/section.ts'
import { queueRetention } from './care/retention-queue.ts'
import { forgetNightly } from './jobs/nightly-kind.ts'
import { queueIndex } from './retrieval/index-queue.ts'

/** Who makes embeddings. `local` is a model inside a package, which needs no network; `none` leaves search to words. */
export const EmbeddingProvider = z.enum(['local', 'openai', 'google', 'mistral', 'ollama', 'none'])
export type EmbeddingProvider = z.infer<typeof EmbeddingProvider>

const fraction = z.number().min(0).max(1)

export const MemorySettings = z.object({
  enabled: z.boolean().meta({
    title: 'Remember',
    description: 'Off: nothing is kept and nothing recalled; what is stored stays',
  }),
  auto_capture: z.boolean().meta({
    title: 'Keep conversations',
    description: 'What matters of each chat becomes a memory by itself',
  }),
  recall_limit: z.number().int().min(0).max(50).meta({
    title: 'Recalled for an answer',
    description: 'At most; an agent may ask for fewer',
    unit: 'memories',
  }),
  min_score: fraction.meta({
    title: 'Least fit',
    description: 'What fits worse is not recalled; 0 to 1',
  }),
  half_life_days: z.number().int().min(1).max(3_650).meta({
    title: 'Half-life',
    description: 'After so long being new counts half',
    unit: 'days',
  }),
  embedding: z
    .object({
      provider: EmbeddingProvider.meta({
        title: 'Made by',
        description: 'Local needs no network; none leaves searching to words',
      }),
      model: z
        .string()
        .max(200)
        .nullable()
        .meta({ title: 'Model', description: 'Empty takes the usual one' }),
    })
    .meta({
      title: 'Meaning',
      description: 'Embeddings, by which memories are found that say it in other words',
    }),
  consolidation: z
    .object({
      enabled: z.boolean().meta({ title: 'By itself' }),
      cron: z.string().max(200).meta({
        title: 'When',
        description: 'A cron expression, in the zone of the profile',
      }),
      max_calls_per_run: z.number().int().min(1).max(10_000).meta({
        title: 'Calls of a model in a run',
        description: 'At most; each reads five memories',
      }),
    })
    .meta({ title: 'Consolidation', description: 'Reads facts out of what is new' }),
  retention: z
    .object({
      max_episodes: z.number().int().min(1).nullable().meta({
        title: 'Memories kept',
        description: 'At most, the least important go first; empty is all',
      }),
      max_age_days: z.number().int().min(1).nullable().meta({
        title: 'Oldest kept',
        description: 'Empty keeps them however old',
        unit: 'days',
      }),
      delete_below_importance: fraction.nullable().meta({
        title: 'Least importance',
        description: 'What matters less is forgotten; 0 to 1, empty keeps all',
      }),
    })
    .meta({ title: 'Forgetting', description: 'What is forgotten by itself; it can be undone for 30 days' }),
  dedupe_threshold: fraction.meta({
    title: 'Alike from',
    description: 'A new memory so like an old one counts as another look at that one; 0 to 1',
  }),
  redact_secrets: z.boolean().meta({
    title: 'Blank secrets',
    description: 'Keys and passwords are not kept',
  }),
  share_between_agents: z.boolean().meta({
    title: 'Share between agents',
    description: 'Agents with a shared memory see what the others keep',
  }),
})
export type MemorySettings = z.output<typeof MemorySettings>

export const MemoryChange = subsetOf(MemorySettings)
export type MemoryChange = z.output<typeof MemoryChange>

export const memorySettings: Section<typeof MemorySettings> = {
  name: 'memory',
  schema: MemorySettings,
  defaults: () => ({
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
  // Another model makes other vectors, and other rules give up other episodes.
  also: (_, host) => [forgetNightly(), queueIndex(host), queueRetention(host, host.clock.now())],
}
