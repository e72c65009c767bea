import { defineArea } from '../area.ts'
import { queueMissingIndex } from './work-store.ts'

export const memoryArea = defineArea({
  name: 'memory',
  events: async () => (await import('./events.ts')).memoryEvents,
  tables: [
    'episodes',
    'episodes_fts',
    'episode_vectors',
    'episode_entities',
    'episode_recalls',
    'episode_versions',
    'episode_clusters',
    'memory_maps',
    'vectors_pending',
    'vector_changes',
    'vector_model',
    'turn_recalls',
    'conversation_pieces',
    'conversations_fts',
    'pairs_fts',
    'graphs',
    'entities',
    'relations',
    'relation_episodes',
    'extractions',
  ],
  owned_tables: ['episodes', 'episode_versions', 'conversation_pieces', 'entities', 'relations'],
  async turn_memory() {
    const { keepInMemory: keep, noteRecalled, reload, remember } = await import('./turn.ts')
    return { keep, noteRecalled, reload, remember }
  },
  work: {
    'memory.capture': async () => (await import('./capture/capture.ts')).capture,
    'memory.index': async () => (await import('./jobs/background.ts')).memoryIndex,
    'memory.job': async () => (await import('./jobs/jobs.ts')).memoryJob,
    'memory.nightly': async () => (await import('./jobs/background.ts')).nightly,
    'memory.retention': async () => (await import('./maintenance/retention.ts')).retention,
  },
  async start(host) {
    await host.sql.write([queueMissingIndex(host)])
  },
  async tools() {
    const { memorySave, memorySearch } = await import('./tools.ts')
    return [memorySearch, memorySave]
  },
})
