import { queryOptions } from '@tanstack/react-query'
import type { Api } from './client.ts'

export interface Profile {
  display_name: string
  avatar_url: string | null
  /** IANA zone in which times are shown. */
  timezone: string
  theme: 'light' | 'dark' | 'system'
}

export const profileQuery = (api: Api) =>
  queryOptions({ queryKey: ['profile'], queryFn: ({ signal }) => api.get<Profile>('/api/settings/profile', {}, signal) })
