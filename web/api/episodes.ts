import { queryOptions } from '@tanstack/react-query'
import type { EpisodeDetail } from '../../runtime/memory/schema.ts'
import type { Api } from './client.ts'

export type { EpisodeDetail }

/** One memory. One that was forgotten is not asked for again and again. */
export const episodeQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['memory', 'episodes', id],
    queryFn: ({ signal }) => api.get<EpisodeDetail>(`/api/memory/episodes/${id}`, {}, signal),
    retry: false,
  })
