import type { z } from 'zod'
import type { Me as MeSchema } from '../../runtime/auth/schema.ts'
import type { AnswerOf } from './client.ts'

export type { Scope } from '../../runtime/auth/caller.ts'
export type { AuditEntry, IssuedKey, KeyEntry, Role, User } from '../../runtime/auth/schema.ts'
export type Me = z.output<typeof MeSchema>
export type AuditPage = AnswerOf<'GET', '/api/auth/audit'>
