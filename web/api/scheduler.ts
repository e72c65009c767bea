import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AnswerOf, Api } from './client.ts'

export type JobStats = AnswerOf<'GET', '/api/scheduler/jobs/{id}/stats'>
export type CalendarEvent = AnswerOf<'GET', '/api/scheduler/calendar-data'>['events'][number]
export type Backfill = AnswerOf<'POST', '/api/scheduler/jobs/{id}/backfill'>

export const dryRunQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['/api/scheduler/dry-run', id],
    queryFn: ({ signal }) => api.post('/api/scheduler/jobs/{id}/dry-run', { params: { id }, signal }),
  })

/** The number of runs that a backfill would start. */
export const backfillPreviewQuery = (api: Api, id: string, span: { start: string; end: string }) =>
  queryOptions({
    queryKey: ['schedule-preview', 'backfill', id, span],
    queryFn: ({ signal }) =>
      api.post('/api/scheduler/jobs/{id}/backfill', {
        params: { id },
        body: { ...span, preview: true },
        signal,
      }),
    retry: false,
  })

/** Milliseconds. Previews contain the next times, which pass. */
export const previewStaleTime = 10_000

/**
 * The schedule that a plain English text describes; with `split` the text may also say what to do. It is a preview, which
 * costs nothing: a model is asked only by `askForSchedule`.
 */
export const parsedScheduleQuery = (api: Api, text: string, split = false) =>
  queryOptions({
    queryKey: ['schedule-preview', 'text', text, split],
    queryFn: ({ signal }) => api.post('/api/scheduler/parse-nl', { body: { text, split, preview: true }, signal }),
    enabled: text !== '',
    staleTime: ({ state }) => (state.data?.parse_method === 'llm' ? Number.POSITIVE_INFINITY : previewStaleTime),
    retry: false,
  })

/** Has the model read a text that the rules do not understand; the answer replaces the preview. */
export async function askForSchedule(
  api: Api,
  queries: QueryClient,
  { text, split = false }: { text: string; split?: boolean },
): Promise<void> {
  const parsed = await api.post('/api/scheduler/parse-nl', { body: { text, split } })
  queries.setQueryData(parsedScheduleQuery(api, text, split).queryKey, parsed)
}
