import { queryOptions } from '@tanstack/react-query'
import type { Api } from './client.ts'

export interface Bootstrap {
  bootstrap_mode: boolean
  setup_token_required: boolean
  version: string
}

export interface User {
  id: string
  username: string
  role: 'admin' | 'user'
  display_name: string | null
  created_at: string
  last_login_at: string | null
}

export const bootstrapQuery = (api: Api) =>
  queryOptions({
    queryKey: ['bootstrap'],
    queryFn: ({ signal }) => api.get<Bootstrap>('/api/auth/bootstrap', {}, signal),
    staleTime: 0,
  })

export const meQuery = (api: Api) =>
  queryOptions({ queryKey: ['users', 'me'], queryFn: ({ signal }) => api.get<Me>('/api/auth/me', {}, signal) })

export interface Me {
  user: User | null
  scopes: string[]
}
