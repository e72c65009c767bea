import { queryOptions } from '@tanstack/react-query'
import type { AuthState } from '../../runtime/browser/auth-states.ts'
import type { Download } from '../../runtime/browser/downloads.ts'
import type {
  Recording,
  RecordingDetail,
  Replay,
  ReplayStep,
  ScreenRecording,
} from '../../runtime/browser/recordings/schema.ts'
import type {
  Action,
  ActionName,
  ActionResult,
  BrowserStatus,
  Cookie,
  Mock,
  NetworkRequest,
  Snapshot,
  Tab,
} from '../../runtime/browser/schema.ts'
import type { BrowserProfile, Emulation } from '../../runtime/browser/setup-schema.ts'
import type { ConsoleLine } from '../../runtime/ports/browser.ts'
import type { Api } from './client.ts'

export type {
  Action,
  ActionName,
  ActionResult,
  AuthState,
  BrowserProfile,
  BrowserStatus,
  ConsoleLine,
  Cookie,
  Download,
  Emulation,
  Mock,
  NetworkRequest,
  Recording,
  RecordingDetail,
  Replay,
  ReplayStep,
  ScreenRecording,
  Snapshot,
  Tab,
}

/**
 * The bus tells of the browser's life, its recordings and saved sessions (`browser`). What its pages do is not on the
 * bus: the live view says when that must be read again (`browser-traffic`, `browser-snapshot`).
 */
export const statusQuery = (api: Api) =>
  queryOptions({
    queryKey: ['browser', 'status'],
    queryFn: ({ signal }) => api.get<BrowserStatus>('/api/browser/status', {}, signal),
  })

/** Read anew when the live view tells of another number of them. */
export const mocksQuery = (api: Api, count: number) =>
  queryOptions({
    queryKey: ['browser', 'mocks', count],
    queryFn: ({ signal }) => api.get<{ mocks: Mock[] }>('/api/browser/mock', {}, signal),
    placeholderData: (before) => before,
  })

export const cookiesQuery = (api: Api) =>
  queryOptions({
    queryKey: ['browser-traffic', 'cookies'],
    queryFn: ({ signal }) => api.get<{ cookies: Cookie[] }>('/api/browser/cookies', {}, signal),
  })

export const snapshotQuery = (api: Api, tab_id: string | undefined) =>
  queryOptions({
    queryKey: ['browser-snapshot', tab_id ?? ''],
    queryFn: ({ signal }) => api.get<Snapshot>('/api/browser/snapshot', { tab_id }, signal),
    // Each snapshot numbers the page anew, so one is taken only when somebody wants it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })

export const requestsQuery = (api: Api, url: string) =>
  queryOptions({
    queryKey: ['browser-traffic', 'requests', url],
    queryFn: ({ signal }) =>
      api.get<{ requests: NetworkRequest[]; total: number }>(
        '/api/browser/requests',
        { url, limit: 300 },
        signal,
      ),
    placeholderData: (before) => before,
  })

export const consoleQuery = (api: Api) =>
  queryOptions({
    queryKey: ['browser-traffic', 'console'],
    queryFn: ({ signal }) =>
      api.get<{ messages: ConsoleLine[]; total: number }>('/api/browser/console', { limit: 300 }, signal),
  })

export const downloadsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['browser-traffic', 'downloads'],
    queryFn: ({ signal }) => api.get<{ downloads: Download[] }>('/api/browser/downloads', {}, signal),
  })

export const recordingsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['browser', 'recordings'],
    queryFn: ({ signal }) =>
      api.get<{ recordings: Recording[]; total: number }>('/api/browser/recordings', { limit: 200 }, signal),
  })

export const recordingQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['browser', 'recording', id],
    queryFn: ({ signal }) => api.get<RecordingDetail>(`/api/browser/recordings/${id}`, {}, signal),
  })

/** The newest first. */
export const replaysQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['browser', 'recording', id, 'replays'],
    queryFn: ({ signal }) =>
      api.get<{ replays: Replay[] }>(`/api/browser/recordings/${id}/replays`, {}, signal),
  })

export const filmsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['browser', 'films'],
    queryFn: ({ signal }) =>
      api.get<{ screen_recordings: ScreenRecording[] }>('/api/browser/screen-recordings', {}, signal),
  })

export const authStatesQuery = (api: Api) =>
  queryOptions({
    queryKey: ['browser', 'auth-states'],
    queryFn: ({ signal }) =>
      api.get<{ auth_states: AuthState[]; total: number }>(
        '/api/browser/auth-states',
        { limit: 200 },
        signal,
      ),
  })

export const emulationQuery = (api: Api) =>
  queryOptions({
    queryKey: ['settings', 'browser-emulation'],
    queryFn: ({ signal }) =>
      api.get<{ emulation: Emulation; presets: string[] }>('/api/browser/emulation', {}, signal),
  })

export const browserProfileQuery = (api: Api) =>
  queryOptions({
    queryKey: ['settings', 'browser-profile'],
    queryFn: ({ signal }) => api.get<BrowserProfile>('/api/browser/profile', {}, signal),
  })

export const doAct = (api: Api, action: Action) => api.post<ActionResult>('/api/browser/action', action)
