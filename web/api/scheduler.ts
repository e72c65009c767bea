import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Conversation, Message } from '../../runtime/chat/schema.ts'
import type { Suggestion } from '../../runtime/scheduler/activity.ts'
import type {
  Chain,
  Edge as ChainEdge,
  EdgeType,
  Job,
  JobStatus,
  ShownRun as Run,
  RunStatus,
  Schedule,
} from '../../runtime/scheduler/schema.ts'
import type { Api, Query } from './client.ts'
import { ApiError } from './error.ts'

export type { Chain, ChainEdge, EdgeType, Job, JobStatus, Run, RunStatus, Schedule, Suggestion }

interface JobPage {
  jobs: Job[]
  count: number
  total: number
}

export interface RunPage {
  runs: Run[]
  count: number
  total: number
}

/** The one that runs next comes first. */
export const jobsQuery = (api: Api, query: { status?: JobStatus; limit?: number } = {}) =>
  queryOptions({
    queryKey: ['scheduler', 'jobs', query],
    queryFn: ({ signal }) => api.get<JobPage>('/api/scheduler/jobs', { limit: 200, ...query }, signal),
    placeholderData: keepPreviousData,
  })

/** Null when it was deleted. */
export const jobQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['scheduler', 'job', id],
    queryFn: ({ signal }) => found(api.get<Job>(`/api/scheduler/jobs/${id}`, {}, signal)),
  })

/** Null when it was deleted. */
export const runQuery = (api: Api, job: string, id: string) =>
  queryOptions({
    queryKey: ['scheduler', 'job', job, 'run', id],
    queryFn: ({ signal }) => found(api.get<Run>(`/api/scheduler/jobs/${job}/runs/${id}`, {}, signal)),
  })

async function found<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** What a run did, as its conversation tells it; null when that was deleted. */
export const conversationQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['conversations', 'of-run', id],
    queryFn: ({ signal }) =>
      found(api.get<Conversation & { messages: Message[] }>(`/api/chat/conversations/${id}`, {}, signal)),
  })

const pageSize = 25

/** The newest first, page by page; of one job, or of all. */
export const runsQuery = (api: Api, job: string | null, status: RunStatus | null) =>
  infiniteQueryOptions({
    queryKey: ['scheduler', 'runs', job, status],
    queryFn: ({ pageParam, signal }) => {
      const path = job ? `/api/scheduler/jobs/${job}/runs` : '/api/scheduler/runs'
      return api.get<RunPage>(path, { status, limit: pageSize, offset: pageParam }, signal)
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const read = pages.reduce((sum, page) => sum + page.count, 0)
      return last.count > 0 && read < last.total ? read : undefined
    },
    placeholderData: keepPreviousData,
  })

export const latestRunsQuery = (api: Api, query: { status: RunStatus; limit: number }) =>
  queryOptions({
    queryKey: ['scheduler', 'latest-runs', query],
    queryFn: ({ signal }) => api.get<RunPage>('/api/scheduler/runs', query, signal),
  })

export interface JobStats {
  runs: number
  success_rate: number | null
  avg_duration_seconds: number | null
  p50_duration_seconds: number | null
  p95_duration_seconds: number | null
  last_error: string | null
  missed: number
  tokens: number
  cost_usd: number
  by_day: { date: string; runs: number }[]
  timezone: string
}

/** Of the last 30 days. */
export const jobStatsQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['scheduler', 'job', id, 'stats'],
    queryFn: ({ signal }) => api.get<JobStats>(`/api/scheduler/jobs/${id}/stats`, {}, signal),
  })

export interface DryRun {
  next_runs: string[]
  model: string
  tools: string[]
  changes_need_approval: boolean
  estimated_tokens: number
  estimated_cost_usd: number
  estimate_basis: 'runs' | 'goal'
}

/** Asks without doing anything, so it is read like a query. */
export const dryRunQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['scheduler', 'job', id, 'dry-run'],
    queryFn: ({ signal }) => api.post<DryRun>(`/api/scheduler/jobs/${id}/dry-run`, undefined, { signal }),
  })

export interface Backfill {
  run_ids: string[]
  count: number
  /** Also those that had succeeded or were under way. */
  due_times: number
}

/** How many runs a backfill would make; none is made. */
export const backfillPreviewQuery = (api: Api, id: string, span: { start: string; end: string }) =>
  queryOptions({
    queryKey: ['schedule-preview', 'backfill', id, span],
    queryFn: ({ signal }) =>
      api.post<Backfill>(`/api/scheduler/jobs/${id}/backfill`, { ...span, preview: true }, { signal }),
    retry: false,
  })

/** What words mean as a schedule. */
export interface WordsReading {
  schedule: Schedule
  human_readable: string
  confidence: number
  parse_method: string
  timezone: string
  next_runs: string[]
  alternatives: { schedule: Schedule; human_readable: string }[]
  warnings: string[]
}

/** Times pass, so what was read is not kept for long. */
const previewFresh = 10_000

export const wordsQuery = (api: Api, text: string) =>
  queryOptions({
    queryKey: ['schedule-preview', 'words', text],
    queryFn: ({ signal }) => api.post<WordsReading>('/api/scheduler/parse-nl', { text }, { signal }),
    enabled: text !== '',
    staleTime: previewFresh,
    retry: false,
  })

export interface Verdict {
  valid: boolean
  error?: string
  next_runs: string[]
}

/** `query`: type, value, timezone, and for intervals starts_at. */
export const validateQuery = (api: Api, query: Query) =>
  queryOptions({
    queryKey: ['schedule-preview', 'validate', query],
    queryFn: ({ signal }) => api.get<Verdict>('/api/scheduler/validate', query, signal),
    staleTime: previewFresh,
  })

export interface CalendarEvent {
  job_id: string
  name: string
  at: string
  kind: 'planned' | 'run'
  /** `planned`, or how the run stands. */
  status: string
  run_id: string | null
  /** Runs of an hour that are summarised as one event. */
  count?: number
}

export const calendarQuery = (api: Api, span: { start: string; end: string; tz: string }) =>
  queryOptions({
    queryKey: ['scheduler', 'calendar', span],
    queryFn: ({ signal }) =>
      api.get<{ events: CalendarEvent[]; truncated: boolean }>('/api/scheduler/calendar-data', span, signal),
    placeholderData: keepPreviousData,
  })

export interface Heatmap {
  timezone: string
  /** 24 rows of 7, Monday first. */
  grid: number[][]
  max: number
}

export const heatmapQuery = (api: Api, tz: string) =>
  queryOptions({
    queryKey: ['scheduler', 'heatmap', tz],
    queryFn: ({ signal }) => api.get<Heatmap>('/api/scheduler/smart/heatmap', { tz }, signal),
  })

export const suggestionsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['scheduler', 'suggestions'],
    queryFn: ({ signal }) =>
      api.get<{ suggestions: Suggestion[] }>('/api/scheduler/smart/suggestions', {}, signal),
  })

export const chainsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['scheduler', 'chains'],
    queryFn: ({ signal }) => api.get<{ chains: Chain[]; count: number }>('/api/scheduler/chains', {}, signal),
  })

/** Null when it was deleted. */
export const chainQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['scheduler', 'chains', id],
    queryFn: ({ signal }) => found(api.get<Chain>(`/api/scheduler/chains/${id}`, {}, signal)),
  })
