import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  Cluster,
  ClusterResponse,
  Entity,
  EntityEpisodes,
  EntityType,
  Episode,
  EpisodeDetail,
  EpisodeVersion,
  Graph,
  GraphEdge,
  ImportResult,
  JobKind,
  MemoryJob,
  MemoryStats,
  Related,
  SearchMode,
  SearchResponse,
  SearchResult,
} from '../../runtime/memory/schema.ts'
import type { Api } from './client.ts'

export type {
  Cluster,
  ClusterResponse,
  Entity,
  EntityType,
  Episode,
  EpisodeDetail,
  EpisodeVersion,
  Graph,
  GraphEdge,
  ImportResult,
  JobKind,
  MemoryJob,
  MemoryStats,
  Related,
  SearchMode,
  SearchResponse,
  SearchResult,
}

export interface EpisodePage {
  episodes: Episode[]
  total: number
  limit: number
  offset: number
}

/** What narrows both the list and a search; empty texts narrow nothing. */
export interface EpisodeFilters {
  agent_id: string
  source: string
  start_date: string
  end_date: string
}

const pageSize = 30

const next = ({ offset, limit, total }: { offset: number; limit: number; total: number }) =>
  offset + limit < total ? offset + limit : undefined

/** The newest first, page by page. */
export const episodesQuery = (api: Api, filters: EpisodeFilters & { cluster_id: string }) =>
  infiniteQueryOptions({
    queryKey: ['memory', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      api.get<EpisodePage>(
        '/api/memory/episodes',
        { ...filters, limit: pageSize, offset: pageParam },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: next,
    placeholderData: keepPreviousData,
  })

/** The best match first, page by page. */
export const searchQuery = (api: Api, asked: EpisodeFilters & { q: string; mode: SearchMode }) =>
  infiniteQueryOptions({
    queryKey: ['memory', 'search', asked],
    queryFn: ({ pageParam, signal }) =>
      api.get<SearchResponse>('/api/memory/search', { ...asked, limit: pageSize, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: next,
    placeholderData: keepPreviousData,
  })

export const relatedQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['memory', 'related', id],
    queryFn: ({ signal }) => api.get<Related>(`${episodePath(id)}/related`, { limit: 8 }, signal),
  })

export interface EpisodeHistory {
  episode_id: string
  current: Episode | null
  versions: EpisodeVersion[]
}

/** Also of an episode that was deleted. */
export const historyQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['memory', 'history', id],
    queryFn: ({ signal }) => api.get<EpisodeHistory>(`${episodePath(id)}/history`, {}, signal),
    retry: false,
  })

export const memoryStatsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['memory', 'stats'],
    queryFn: ({ signal }) => api.get<MemoryStats>('/api/memory/stats', {}, signal),
  })

/** Drawing a map takes its time, so it is drawn anew when the person asks and not with each event. */
export const mapQuery = (api: Api, n: number, agent_id: string) =>
  queryOptions({
    queryKey: ['memory-map', n, agent_id],
    queryFn: ({ signal }) => api.get<ClusterResponse>('/api/memory/clusters', { n, agent_id }, signal),
    placeholderData: keepPreviousData,
  })

/** `at` empty shows facts that have ended, too. */
export const graphQuery = (api: Api, query: { agent_id: string; at: string; limit: number }) =>
  queryOptions({
    queryKey: ['memory-graph', query],
    queryFn: ({ signal }) => api.get<Graph>('/api/memory/graph', query, signal),
    placeholderData: keepPreviousData,
  })

/** The episodes that mention an entity, the newest first, page by page. */
export const entityEpisodesQuery = (api: Api, id: string) =>
  infiniteQueryOptions({
    queryKey: ['memory', 'entity', id],
    queryFn: ({ pageParam, signal }) =>
      api.get<EntityEpisodes>(
        `/api/memory/entities/${encodeURIComponent(id)}/episodes`,
        { limit: 5, offset: pageParam },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: next,
  })

export const jobQuery = (api: Api, kind: JobKind) =>
  queryOptions({
    queryKey: ['memory-jobs', kind],
    queryFn: ({ signal }) => api.get<{ job: MemoryJob | null }>(`/api/memory/jobs/${kind}`, {}, signal),
  })

export const episodePath = (id: string) => `/api/memory/episodes/${encodeURIComponent(id)}`

/** Undoes the last change of an episode, a deletion too; or goes back to one version. */
export const restoreEpisode = (api: Api, id: string, version?: number) =>
  api.post<Episode>(`${episodePath(id)}/restore`, version === undefined ? {} : { version })
