import { z } from 'zod'
import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { Fault, notFound } from '../fault.ts'
import type { StorageState } from '../ports/browser.ts'
import { iso } from '../time.ts'
import { type AuthState, deleteAuthState, findAuthState, upsertAuthState } from './auth-state-store.ts'
import { withBrowser } from './use.ts'

export const AuthStateName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} ._@-]*[\p{L}\p{N}])?$/u, 'must be letters, digits, blanks, dots, - _ @')

const purpose = (name: string) => `browser:auth-state:${name}`

/** Saves the cookies and local storage of the caller's profile under a name, replacing an earlier one. */
export async function saveAuthState(context: Context, name: string): Promise<AuthState> {
  const state = await withBrowser(context, (browser) => browser.storageState())
  const sealed = await context.secrets.seal(JSON.stringify(state), purpose(name))
  const origins = state.origins.map(({ origin }) => origin)
  const kept = { name, cookies: state.cookies.length, origins, created_at: iso(context.clock.now()) }
  await context.commit(
    [upsertAuthState(ownerOf(context), kept, sealed)],
    [{ type: 'browser.auth_state.saved', data: { name } }],
    { answer: kept },
  )
  return kept
}

export async function restoreAuthState(context: Context, name: string): Promise<AuthState> {
  const stored = await findAuthState(context, name)
  if (!stored) throw notFound('The saved session')
  const { sealed, ...state } = stored
  const opened = await context.secrets.open(sealed, purpose(name)).catch(() => {
    throw new Fault(409, 'conflict', 'The saved session was sealed with another key; save it again')
  })
  await withBrowser(context, (browser) => browser.restoreState(JSON.parse(opened) as StorageState))
  return state
}

export async function removeAuthState(context: Context, name: string): Promise<void> {
  if (!(await findAuthState(context, name))) throw notFound('The saved session')
  await context.commit(
    [deleteAuthState(ownerOf(context), name)],
    [{ type: 'browser.auth_state.deleted', data: { name } }],
  )
}
