import { z } from 'zod'
import { owned, ownerOf } from '../auth/owner.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { type Reader, Table } from '../table.ts'

/** A saved sign-in state: cookies and local storage, which are never shown. */
export const AuthState = z.object({
  name: z.string(),
  cookies: z.int(),
  /** Origins with local storage. */
  origins: z.array(z.string()),
  created_at: z.string(),
})
export type AuthState = z.output<typeof AuthState>

/** The sealed cookies and local storage belong to one user. */
const states = new Table<AuthState & { sealed: string }, 'owner_id'>('browser_auth_states', {
  json: ['origins'],
  hidden: ['owner_id'],
})

const shownStates = new Table<AuthState, 'owner_id'>('browser_auth_states', {
  json: ['origins'],
  select: 'name, cookies, origins, created_at',
})

export const listAuthStates = (context: Reader, page: Page) => shownStates.page(context, page, 'name', owned(context))

export const findAuthState = (context: Reader, name: string) =>
  states.find(context, { name, owner_id: ownerOf(context) })

export const upsertAuthState = (owner_id: string, state: AuthState, sealed: string): Statement =>
  states.upsert({ ...state, owner_id, sealed }, 'owner_id, name')

export const deleteAuthState = (owner_id: string, name: string): Statement => states.delete({ owner_id, name })
