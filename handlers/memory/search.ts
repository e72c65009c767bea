import { endpoint } from '../../runtime/http/endpoint.ts'
import { memoryStats } from '../../runtime/memory/episodes.ts'
import { MemoryStats, SearchQuery, SearchResponse } from '../../runtime/memory/schema.ts'
import { searchEpisodes } from '../../runtime/memory/search/search.ts'

export const search = endpoint('GET /api/memory/search', {
  summary: 'Search episodes by keywords and meaning, best match first',
  query: SearchQuery,
  returns: SearchResponse,
  async run({ query }, context) {
    const { q, mode, limit, offset, ...filter } = query
    return searchEpisodes(context, { q, mode, limit, offset, filter })
  },
})

export const stats = endpoint('GET /api/memory/stats', {
  summary: 'Get memory statistics',
  returns: MemoryStats,
  run: (_, context) => memoryStats(context),
})
