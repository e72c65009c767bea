import { endpoint } from '../../runtime/http/endpoint.ts'
import { SearchQuery, SearchResponse } from '../../runtime/memory/schema.ts'
import { searchEpisodes } from '../../runtime/memory/search.ts'

export const search = endpoint({
  method: 'GET',
  path: '/api/memory/search',
  summary: 'Find episodes by what they say, the best match first',
  query: SearchQuery,
  returns: SearchResponse,
  async run({ query }, context) {
    const { q, mode, limit, offset, ...filter } = query
    return searchEpisodes(context, { q, mode, limit, offset, filter })
  },
})
