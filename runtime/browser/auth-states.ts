import { z } from 'zod'
import type { Context } from '../context.ts'
import { Fault, notFound } from '../fault.ts'
import type { StorageState } from '../ports/browser.ts'
import { iso } from '../time.ts'
import { deleteAuthState, findAuthState, listAuthStates, saveAuthState } from './auth-state-store.ts'
import { withBrowser } from './use.ts'

export const AuthStateName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} ._@-]*[\p{L}\p{N}])?$/u, 'must be letters, digits, blanks, dots, - _ @')

/** A signed-in session that was kept. What it consists of is never shown. */
export const AuthState = z.object({
  name: z.string(),
  /** How many. */
  cookies: z.number().int(),
  /** Whose local storage it has. */
  origins: z.array(z.string()),
  created_at: z.string(),
})
export type AuthState = z.output<typeof AuthState>

const purpose = (name: string) => `browser:auth-state:${name}`

export { listAuthStates }

/** Keeps cookies and local storage of the browser under a name, in the place of what had the name before. */
export async function keepAuthState(context: Context, name: string): Promise<AuthState> {
  const state = await withBrowser(context, (browser) => browser.storageState())
  const sealed = await context.secrets.seal(JSON.stringify(state), purpose(name))
  const origins = state.origins.map(({ origin }) => origin)
  const kept = { name, cookies: state.cookies.length, origins, created_at: iso(context.clock.now()) }
  await context.commit([saveAuthState(kept, sealed)], [{ type: 'browser.auth_state.saved', data: { name } }])
  return kept
}

/** Signs in as it was then: the browser's cookies and storage are replaced. */
export async function restoreAuthState(context: Context, name: string): Promise<AuthState> {
  const found = await findAuthState(context, name)
  if (!found) throw notFound('The saved session')
  const { sealed, ...state } = found
  const opened = await context.secrets.open(sealed, purpose(name)).catch(() => {
    throw new Fault(409, 'conflict', 'The saved session was sealed under another key; save it anew')
  })
  await withBrowser(context, (browser) => browser.restoreState(JSON.parse(opened) as StorageState))
  return state
}

export async function removeAuthState(context: Context, name: string): Promise<void> {
  if (!(await findAuthState(context, name))) throw notFound('The saved session')
  await context.commit([deleteAuthState(name)], [{ type: 'browser.auth_state.deleted', data: { name } }])
}
