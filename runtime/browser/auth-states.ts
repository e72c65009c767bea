import { z } from 'zod'
import type { Context } from '../context.ts'
import { Fault, notFound } from '../fault.ts'
import type { Host } from '../host.ts'
import type { StorageState } from '../ports/browser.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { withBrowser } from './use.ts'

export const AuthStateName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} ._@-]*[\p{L}\p{N}])?$/u, 'must be letters, digits, blanks, dots, - _ @')

/** A saved sign-in state: cookies and local storage, which are never shown. */
export const AuthState = z.object({
  name: z.string(),
  /** Number of cookies. */
  cookies: z.number().int(),
  /** Origins with local storage. */
  origins: z.array(z.string()),
  created_at: z.string(),
})
export type AuthState = z.output<typeof AuthState>

const purpose = (name: string) => `browser:auth-state:${name}`

/** Saves the cookies and local storage of the browser under a name, replacing an earlier one. */
export async function saveAuthState(context: Context, name: string): Promise<AuthState> {
  const state = await withBrowser(context, (browser) => browser.storageState())
  const sealed = await context.secrets.seal(JSON.stringify(state), purpose(name))
  const origins = state.origins.map(({ origin }) => origin)
  const kept = { name, cookies: state.cookies.length, origins, created_at: iso(context.clock.now()) }
  await context.commit(
    [upsertAuthState(kept, sealed)],
    [{ type: 'browser.auth_state.saved', data: { name } }],
  )
  return kept
}

/** Replaces the cookies and local storage of the browser. */
export async function restoreAuthState(context: Context, name: string): Promise<AuthState> {
  const found = await findAuthState(context, name)
  if (!found) throw notFound('The saved session')
  const { sealed, ...state } = found
  const opened = await context.secrets.open(sealed, purpose(name)).catch(() => {
    throw new Fault(409, 'conflict', 'The saved session was sealed with another key; save it again')
  })
  await withBrowser(context, (browser) => browser.restoreState(JSON.parse(opened) as StorageState))
  return state
}

export async function removeAuthState(context: Context, name: string): Promise<void> {
  if (!(await findAuthState(context, name))) throw notFound('The saved session')
  await context.commit([deleteAuthState(name)], [{ type: 'browser.auth_state.deleted', data: { name } }])
}

interface Row {
  name: string
  cookies: number
  origins: string
  sealed: string
  created_at: string
}

const shown = ({ name, cookies, origins, created_at }: Row): AuthState => ({
  name,
  cookies,
  origins: JSON.parse(origins) as string[],
  created_at,
})

export async function listAuthStates(
  host: Host,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ auth_states: AuthState[]; total: number }> {
  const [[count], rows] = await Promise.all([
    host.sql.read<{ total: number }>('SELECT count(*) AS total FROM browser_auth_states'),
    host.sql.read<Row>('SELECT * FROM browser_auth_states ORDER BY name LIMIT ? OFFSET ?', [limit, offset]),
  ])
  return { auth_states: rows.map(shown), total: count?.total ?? 0 }
}

async function findAuthState(host: Host, name: string): Promise<(AuthState & { sealed: string }) | null> {
  const [row] = await host.sql.read<Row>('SELECT * FROM browser_auth_states WHERE name = ?', [name])
  return row ? { ...shown(row), sealed: row.sealed } : null
}

const upsertAuthState = ({ name, cookies, origins, created_at }: AuthState, sealed: string): Statement => ({
  sql: `INSERT INTO browser_auth_states (name, cookies, origins, sealed, created_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET cookies = excluded.cookies, origins = excluded.origins,
      sealed = excluded.sealed, created_at = excluded.created_at`,
  args: [name, cookies, JSON.stringify(origins), sealed, created_at],
})

const deleteAuthState = (name: string): Statement => ({
  sql: 'DELETE FROM browser_auth_states WHERE name = ?',
  args: [name],
})
