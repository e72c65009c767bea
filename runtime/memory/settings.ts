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
  /** False: nothing is captured and nothing recalled; what is stored stays. */
  enabled: z.boolean(),
  /** Exchanges of chats become episodes by themselves. */
  auto_capture: z.boolean(),
  /** Episodes put into a prompt at most; an agent may ask for fewer. */
  recall_limit: z.number().int().min(0).max(50),
  /** Score below which nothing is recalled into a prompt. */
  min_score: fraction,
  /** Days after which the recency of an episode counts half. */
  half_life_days: z.number().int().min(1).max(3_650),
  embedding: z.object({ provider: EmbeddingProvider, model: z.string().max(200).nullable() }),
  consolidation: z.object({
    enabled: z.boolean(),
    /** When it runs by itself, in the zone of the profile. */
    cron: z.string().max(200),
    /** Model calls of one run; each takes 5 episodes. */
    max_calls_per_run: z.number().int().min(1).max(10_000),
  }),
  /** What is forgotten by itself; null never. */
  retention: z.object({
    max_episodes: z.number().int().min(1).nullable(),
    max_age_days: z.number().int().min(1).nullable(),
    delete_below_importance: fraction.nullable(),
  }),
  /** Likeness from which a new episode only counts as another access of the old one. */
  dedupe_threshold: fraction,
  /** Keys and passwords are blanked before an exchange is kept. */
  redact_secrets: z.boolean(),
  /** Agents with a shared memory see each other's episodes. */
  share_between_agents: z.boolean(),
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
