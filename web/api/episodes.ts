import { queryOptions } from '@tanstack/react-query'
import type { Episode } from '../../runtime/memory/schema.ts'
import type { Api } from './client.ts'

export type { Episode }

/** One memory. One that was forgotten is not asked for again and again. */
export const episodeQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['memory', 'episodes', id],
    queryFn: ({ signal }) => api.get<Episode>(`/api/memory/episodes/${id}`, {}, signal),
    retry: false,
  })
