import type { z } from 'zod'
import type { Me as MeSchema } from '../../runtime/auth/schema.ts'
import type { AnswerOf, Api, InputOf } from './client.ts'
import { endpointQuery } from './query.ts'

export type { Scope } from '../../runtime/auth/caller.ts'
export type { AuditEntry, IssuedKey, KeyEntry, Role, User } from '../../runtime/auth/schema.ts'
export type Me = z.output<typeof MeSchema>
export type AuditPage = AnswerOf<'GET', '/api/auth/audit'>

export const meQuery = (api: Api) => endpointQuery(api, '/api/auth/me')

export const usersQuery = (api: Api) => endpointQuery(api, '/api/auth/users', { query: { limit: 200 } })

export const keysQuery = (api: Api) => endpointQuery(api, '/api/auth/keys')

export const auditQuery = (api: Api, query: InputOf<'GET', '/api/auth/audit'>['query']) =>
  endpointQuery(api, '/api/auth/audit', { query })
