import { queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import type { Scope } from '../../runtime/auth/caller.ts'
import type {
  AuditEntry,
  BootstrapState,
  IssuedKey,
  KeyEntry,
  LoginResult as LoginResultSchema,
  Me as MeSchema,
  Role,
  SetupResult,
  User,
} from '../../runtime/auth/schema.ts'
import type { Api, Query } from './client.ts'

export type { AuditEntry, IssuedKey, KeyEntry, Role, Scope, SetupResult, User }
export type Bootstrap = z.output<typeof BootstrapState>
export type LoginResult = z.output<typeof LoginResultSchema>
export type Me = z.output<typeof MeSchema>

export interface AuditPage {
  entries: AuditEntry[]
  total: number
  limit: number
  offset: number
}

export const bootstrapQuery = (api: Api) =>
  queryOptions({
    queryKey: ['bootstrap'],
    queryFn: ({ signal }) => api.get<Bootstrap>('/api/auth/bootstrap', {}, signal),
    staleTime: 0,
  })

export const meQuery = (api: Api) =>
  queryOptions({
    queryKey: ['users', 'me'],
    queryFn: ({ signal }) => api.get<Me>('/api/auth/me', {}, signal),
  })

export const usersQuery = (api: Api) =>
  queryOptions({
    queryKey: ['users', 'list'],
    queryFn: ({ signal }) =>
      api.get<{ users: User[]; total: number }>('/api/auth/users', { limit: 200 }, signal),
  })

export const keysQuery = (api: Api) =>
  queryOptions({
    queryKey: ['keys'],
    queryFn: ({ signal }) => api.get<{ keys: KeyEntry[]; count: number }>('/api/auth/keys', {}, signal),
  })

export const auditQuery = (api: Api, query: Query) =>
  queryOptions({
    queryKey: ['audit', query],
    queryFn: ({ signal }) => api.get<AuditPage>('/api/auth/audit', query, signal),
  })
